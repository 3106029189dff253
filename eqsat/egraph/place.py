"""The process of an e-graph: this one, or one of its own where egglog would hang or might end the program.

egglog ends its process when memory runs out, or waits for ever for a thread that could not be started.
"""

from __future__ import annotations

from contextlib import AbstractContextManager

from eqsat.base.memory import available
from eqsat.egraph.adapter import Session, Template, is_lost

LEAST = 1 << 30  # bytes: what egglog, its threads and a small e-graph take
PER_ROW = 4096  # bytes: of a row of the budget, with what a step makes beyond it


def session_of(template: Template, rows: int = 0) -> AbstractContextManager[Session]:
    """A session of a template that may come to hold so many rows.

    Errors   EGraphUnavailable where no process can be started; EGraphFailure where it ends before its time
    """
    if not is_lost() and available() >= LEAST + PER_ROW * rows:
        return template.session()
    from eqsat.egraph.remote import remote_session

    return remote_session(template, template.lines)
