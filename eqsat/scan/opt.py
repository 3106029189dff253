"""Rewrites of loops by the names of older programs; each can be left out by itself.

``mode.excluding(name)`` takes a name or a word of this list; so does ``optimize(..., without=[word])`` where the rewrite is
no rule. Most need no rule of their own: a value that does not change in a loop is a value of the graph around it, equal
values of two loops over one index are one value, and what no result needs is not extracted.

>>> from eqsat.scan.opt import REWRITES
>>> REWRITES["PushOutSeqScan"].word, REWRITES["ScanMerge"].by_rules
('push-out-seq', False)
"""

from __future__ import annotations

from eqsat.base.values import dataclass

__all__ = ["REWRITES", "LoopRewrite"]


@dataclass(frozen=True)
class LoopRewrite:
    """One kind of rewrite: its old name, the word that switches it, whether that is a tag of rules, and what it does."""

    name: str
    word: str
    by_rules: bool
    does: str


_ALL = (
    LoopRewrite(
        "remove_constants_and_unused_inputs_scan",
        "unused-inputs",
        False,
        "inputs that no step reads are dropped, constant ones stand in the body; without it such scans stay as they are",
    ),
    LoopRewrite(
        "PushOutNonSeqScan",
        "push-out-non-seq",
        False,
        "what does not change in the loop is computed before it",
    ),
    LoopRewrite(
        "PushOutSeqScan",
        "push-out-seq",
        True,
        "what a step computes of rows alone is computed of all rows before the loop",
    ),
    LoopRewrite(
        "PushOutScanOutput",
        "push-out-output",
        True,
        "what is done to an output in each step is done to its stack after the loop",
    ),
    LoopRewrite("PushOutDot1", "push-out-dot", True, "a sum of products over the steps is one product"),
    LoopRewrite(
        "ScanInplaceOptimizer",
        "in-place",
        False,
        "a state overwrites its old value where nothing reads that again",
    ),
    LoopRewrite(
        "ScanSaveMem",
        "save-memory",
        False,
        "of outputs of which only late rows are read, only those are kept; steps after the last row that is read are not made",
    ),
    LoopRewrite(
        "ScanMerge",
        "merge-loops",
        False,
        "loops of equal numbers of steps that do not need each other are one loop",
    ),
    LoopRewrite(
        "UnrollTiny",
        "unroll",
        False,
        "a few short steps are written one after the other where that is cheaper",
    ),
    LoopRewrite(
        "scan_merge_inouts",
        "merge-inouts",
        False,
        "equal inputs are one input, equal outputs one output; without it scans that have such stay as they are",
    ),
)

REWRITES = {r.name: r for r in _ALL}
WORDS = {r.word: r for r in _ALL}


def find(word: str) -> LoopRewrite | None:
    """The rewrite of a name or word."""
    return REWRITES.get(word) or WORDS.get(word)
