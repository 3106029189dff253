"""Whole networks in eqsat, JAX and torch.compile, side by side: forward passes and steps of gradient descent.

Each network is one program over the functions of a library, in float32 with batches of 16. Every library computes in a
process of its own; its results are compared with those of PyTorch, or else JAX, in float64, and then all take turns: the
seconds are medians over rounds. ``first`` is the first call of a new function with empty caches, and ``memory`` what a
process holds at most during calls beyond what it held before them, function compiled, weights loaded.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))

PEERS = ("jax", "torch")
TOLERANCE = 2e-2  # of a step of 18 layers: what is nearly 0 may lie on either side of a kink
LEAST = 1e-4  # a bias before a norm has no slope at all


def options() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="", help="networks with commas between; all by default")
    parser.add_argument("--libraries", default="", help="libraries with commas between; all by default")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--budget", type=float, default=1.0, help="seconds of calls in a round")
    parser.add_argument(
        "--threads", type=int, default=0, help="threads of every library; as each has them by default"
    )
    parser.add_argument("--json", type=Path, help="write the figures to a file")
    parser.add_argument("--play", nargs=4, help=argparse.SUPPRESS)
    return parser.parse_args()


def right(name: str, step: bool, to: Path) -> None:
    """Write the results in float64."""
    from beside.libraries import InJax, InTorch, flat, installed
    from beside.networks import NETWORKS

    network = NETWORKS[name]
    m: Any = InTorch() if installed("torch") else InJax()
    take = m.module.from_numpy if installed("torch") else m.module.asarray
    given = [take(a.astype("float64") if a.dtype == "float32" else a) for a in network.inputs(step).values()]
    np.savez(
        to,
        *(
            np.asarray(v.detach() if installed("torch") else v)
            for v in flat(network.program(m, step, *given))
        ),
    )


def made(library: str, name: str, step: bool) -> tuple[Any, Any]:
    """The compiled program as a call, and what to do before its memory is measured."""
    from beside.libraries import InEqsat, InJax, InTorch, flat
    from beside.networks import NETWORKS

    network, data = NETWORKS[name], NETWORKS[name].inputs(step)
    m: Any = {"eqsat": InEqsat, "jax": InJax, "torch": InTorch}[library]()
    if library == "jax":
        given = [m.jax.device_put(a) for a in data.values()]
        compiled = m.jax.jit(lambda *a: network.program(m, step, *a)).lower(*given).compile()
        return lambda: m.jax.block_until_ready(compiled(*given)), None
    if library == "torch":
        given = [m.module.from_numpy(a) for a in data.values()]
        compiled = m.module.compile(lambda *a: network.program(m, step, *a))
        call = lambda: compiled(*given)
        return call, call  # compiles in its first call
    inputs = [m.module.tensor(a.dtype.name, (None,) * a.ndim, name=k) for k, a in data.items()]
    outputs = network.program(m, step, *inputs)
    compiled = m.eqsat.function(inputs, flat(outputs) if step else outputs)
    given = list(data.values())
    return lambda: compiled(*given), None


def process(library: str, name: str, step: bool, folder: str) -> None:
    """One library at work: first call, memory, values, then bursts."""
    from beside.libraries import LIBRARIES, differ, flat
    from beside.turns import WARM, play
    from common.memory import more

    LIBRARIES[library][0](WARM, {"x": np.ones(3)})()
    start = time.perf_counter()
    call, before = made(library, name, step)
    if before:
        before()
    compiled = time.perf_counter() - start
    memory = more(call, 3)
    begun = time.perf_counter()
    found = call()
    again = time.perf_counter() - begun
    with np.load(folder) as wanted:
        wrong = differ([np.asarray(v) for v in flat(found)], list(wanted.values()), TOLERANCE, LEAST)
    del found
    play(call, {"first": compiled + again, "memory": memory, "wrong": wrong})


def measured(name: str, step: bool, libraries: list[str], asked: argparse.Namespace) -> dict[str, Any]:
    """Seconds, first call and memory by library."""
    from beside.turns import Player, rounds

    with tempfile.TemporaryDirectory() as folder:
        to = Path(folder, "right.npz")
        right(name, step, to)
        players = {}
        for library in libraries:
            program = [__file__, "--play", library, name, str(int(step)), str(to)]
            os.environ |= {"EQSAT_FLAGS": f"cache_dir={folder}", "TORCHINDUCTOR_CACHE_DIR": f"{folder}/torch"}
            players[library] = Player(program, asked.threads)
            players[library].begin()
        times = rounds(players, asked)
    return {
        library: {**player.ready, "seconds": statistics.median(times[library])}
        if library in times
        else {"wrong": player.wrong}
        for library, player in players.items()
    }


def line(name: str, found: dict[str, Any]) -> str:
    """A row of the table."""
    cells = [
        f"wrong: {row['wrong']}"
        if row["wrong"]
        else f"{row['seconds'] * 1e3:.1f} ms, {row['memory'] / 2**20:.0f} MiB, {row['first']:.1f} s"
        for row in found.values()
    ]
    ratios = []
    for figure in ("seconds", "memory"):
        others = [row[figure] for k, row in found.items() if k != "eqsat" and figure in row]
        ours = found.get("eqsat", {}).get(figure)
        ratios.append("" if ours is None or not others else f"**{min(others) / ours:.2f}**")
    return f"| {name} | " + " | ".join(cells + ratios) + " |"


def main() -> None:
    """Measure, and print a table."""
    from beside.libraries import installed
    from beside.networks import NETWORKS

    asked = options()
    if asked.play:
        library, name, step, to = asked.play
        return process(library, name, step == "1", to)
    names = asked.only.split(",") if asked.only else list(NETWORKS)
    if unknown := [name for name in names if name not in NETWORKS]:
        sys.exit(f"no network is called {', '.join(unknown)}; there are {', '.join(NETWORKS)}")
    libraries = [k for k in (asked.libraries or "eqsat,jax,torch").split(",") if installed(k)]
    if not any(installed(k) for k in PEERS):
        sys.exit("neither jax nor torch is installed: the extra peers brings them")
    print(f"| network | {' | '.join(libraries)} | best other / eqsat: time | memory |")
    print("|---" * (len(libraries) + 3) + "|", flush=True)
    found = {}
    for name in names:
        for step in (False, True):
            row = f"{name} {'step' if step else 'forward'}"
            found[row] = measured(name, step, libraries, asked)
            print(line(row, found[row]), flush=True)
    if asked.json:
        asked.json.write_text(json.dumps(found, indent=1))
    return None


if __name__ == "__main__":
    main()
