"""A small schema with rules and rows, and what tests of the adapter ask of them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from eqsat.egraph.adapter import Frozen

ROOT = Path(__file__).parents[2]

SCHEMA = [
    "(sort T)",
    "(constructor In (i64) T)",
    "(constructor Neg (T) T)",
    "(constructor Add (T T) T)",
    "(function node (i64) T :merge old)",
    "(function lo (T) f64 :merge (max old new))",
    "(function kind (T) i64 :no-merge)",
    "(relation rIn (i64 f64))",
    "(relation rNeg (i64 i64))",
    "(relation rAdd (i64 i64 i64))",
    "(relation same (i64 i64))",
    "(ruleset load)",
    "(ruleset an)",
    "(ruleset swap)",
    "(ruleset merge)",
]
RULES = [
    "(rule ((rIn ?k ?v)) ((let ?e (In ?k)) (set (node ?k) ?e) (set (lo ?e) ?v)) :ruleset load)",
    "(rule ((rNeg ?k ?a) (= ?x (node ?a))) ((set (node ?k) (Neg ?x))) :ruleset load)",
    "(rule ((rAdd ?k ?a ?b) (= ?x (node ?a)) (= ?y (node ?b))) ((set (node ?k) (Add ?x ?y))) :ruleset load)",
    '(rule ((= ?e (Add ?a ?b)) (= ?l (lo ?a)) (= ?m (lo ?b))) ((set (lo ?e) (+ ?l ?m))) :ruleset an :name "sum")',
    '(rewrite (Add ?a ?b) (Add ?b ?a) :ruleset swap :name "swap")',
    "(rule ((same ?a ?b) (= ?x (node ?a)) (= ?y (node ?b))) ((union ?x ?y)) :ruleset merge)",
]
SMALL: dict[str, list[tuple[float, ...]]] = {"rIn": [(0, 1.5), (1, 2.0)], "rAdd": [(2, 0, 1), (3, 2, 2)]}


def classes(frozen: Frozen) -> dict[int, int]:
    """Class of every node number."""
    return {row.inputs[0]: row.output for row in frozen.rows("node")}


def python(code: str) -> str:
    """Run a program in a new process, which must end well; its output."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()
