"""What was tried, what failed and how fast, with the findings as Python to paste; rewritten as the campaign goes on."""

from __future__ import annotations

import json
import subprocess
import threading
import time
from collections import Counter
from pathlib import Path

from campaign.trial import Finding, Trial

ROOT = Path(__file__).resolve().parent.parent
EVERY = 10.0  # seconds between two versions of the file


class Part:
    """The sums of one part."""

    def __init__(self) -> None:
        self.trials = self.tried = self.failed = 0
        self.seconds, self.seeds = 0.0, (0, 0)
        self.counts: Counter[str] = Counter()

    def add(self, trial: Trial, seconds: float, seed: int) -> None:
        low, high = self.seeds if self.trials else (seed, seed)
        self.seeds = min(low, seed), max(high, seed)
        self.trials += 1
        self.tried += trial.tried
        self.failed += trial.failed
        self.seconds += seconds
        self.counts.update(trial.counts)


class Report:
    """Sums per part, and distinct findings with how often each came."""

    def __init__(self, path: str | None, said: bool = True) -> None:
        self.path, self.said = path, said
        self.parts: dict[str, Part] = {}
        self.findings: dict[str, Finding] = {}
        self.times: Counter[str] = Counter()
        self.lock, self.start, self.written = threading.Lock(), time.time(), 0.0

    def add(self, part: str, trial: Trial, seconds: float, seed: int) -> None:
        with self.lock:
            self.parts.setdefault(part, Part()).add(trial, seconds, seed)
            for f in trial.findings:
                self.times[f.key] += 1
                if f.key not in self.findings:
                    self.findings[f.key] = f
                    if self.said:
                        print(self.one(f), flush=True)
            if time.time() - self.written > EVERY:
                self.write()

    @property
    def failed(self) -> int:
        return sum(p.failed for p in self.parts.values()) + len(self.findings)

    def write(self) -> None:
        self.written = time.time()
        if self.path is not None:
            Path(self.path).write_text(self.text(), encoding="utf-8")
            sums = {
                name: {"tried": p.tried, "failed": p.failed, "seeds": p.seeds}
                for name, p in self.parts.items()
            }
            Path(self.path).with_suffix(".json").write_text(json.dumps(sums, indent=1), encoding="utf-8")

    def text(self) -> str:
        lines = [f"# Campaign at {commit()}, {(time.time() - self.start) / 3600:.2f} hours", ""]
        lines += self.table()
        lines += ["", f"{len(self.findings)} distinct findings", ""]
        lines += [self.one(f) for f in self.findings.values()]
        return "\n".join(lines) + "\n"

    def table(self) -> list[str]:
        rows = ["| part | seeds | tried | failed | a second | also counted |", "|---|---|---|---|---|---|"]
        for name, p in sorted(self.parts.items()):
            rate = p.tried / p.seconds if p.seconds else 0.0
            also = ", ".join(f"{n} {k}" for k, n in sorted(p.counts.items()))
            seeds = f"{p.seeds[0]} to {p.seeds[1]}"
            rows.append(f"| {name} | {seeds} | {p.tried} {unit(name)} | {p.failed} | {rate:.2f} | {also} |")
        return rows

    def one(self, f: Finding) -> str:
        times = f", {self.times[f.key]} times" if self.times[f.key] > 1 else ""
        rules = [f"rules that are enough: {', '.join(f.rules)}"] if f.rules else []
        head = f"## {f.part}, seed {f.seed}{times}: {f.key}"
        return "\n".join([head, f.what, *rules, "```python", f.python.rstrip(), "```", ""])


def unit(part: str) -> str:
    """What a part counts, read from its file."""
    source = (ROOT / "campaign" / "parts" / f"{part}.py").read_text(encoding="utf-8")
    line = next((ln for ln in source.splitlines() if ln.startswith("UNIT = ")), "UNIT = ''")
    return line.split("=", 1)[1].strip().strip("\"'")


def commit() -> str:
    done = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return done.stdout.strip() or "an unknown commit"
