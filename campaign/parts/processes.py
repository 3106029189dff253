"""Several processes that make the same functions on one cache folder at once."""

from __future__ import annotations

import shutil
import tempfile

from campaign.children import Child, ending
from campaign.parts.kills import made
from campaign.trial import Finding, Trial
from eqsat import config

UNIT = "processes"
TOGETHER = 6


def trial(seed: int) -> Trial:
    """As many processes as go together, all with the same programs and an empty cache."""
    result = Trial(TOGETHER)
    folder = tempfile.mkdtemp(prefix="campaign-")
    try:
        with config.change_flags(cache_dir=folder):
            children = [Child(lambda: made(seed)) for _ in range(TOGETHER)]
            with ending(children):
                ends = [child.ended(300) for child in children]
        for end in ends:
            bad = end.bad or end.value
            if bad:
                result.failed += 1
                found = Finding(f"processes {bad[:80]}", f"on one cache: {bad}", f"processes.trial({seed})")
                result.findings.append(found)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return result
