"""A browser without a window: what a page holds once its script has run, and a picture of it."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--virtual-time-budget=2000",
]


def run(page: Path, width: int, *more: str, dark: bool = False) -> str:
    """What the browser prints for a page in a window of some width."""
    assert BROWSER is not None
    profile = page.with_name("profile")
    command = [BROWSER, *FLAGS, f"--user-data-dir={profile}", f"--window-size={max(width, 500)},1400", *more]
    command += ["--blink-settings=preferredColorScheme=0"] if dark else []
    done = subprocess.run([*command, page.as_uri()], capture_output=True, text=True, timeout=120, check=True)
    return done.stdout


def ask(text: str, script: str, folder: Path, width: int = 1280, dark: bool = False) -> Any:
    """What an expression in the page is worth, in a frame of some width."""
    inner = folder / "inner.html"
    probe = f"<script>parent.postMessage(JSON.stringify((() => {{ {script} }})()), '*')</script>"
    inner.write_text(text.replace("</body>", probe + "</body>"), encoding="utf-8")
    outer = folder / "outer.html"
    outer.write_text(
        "<!DOCTYPE html><pre id=found></pre><script>addEventListener('message', e => {"
        "document.getElementById('found').textContent = 'FOUND' + e.data + 'END'})</script>"
        f"<iframe src='inner.html' style='width:{width}px;height:1300px;border:0'></iframe>",
        encoding="utf-8",
    )
    found = re.search(r"FOUND(.*)END</pre>", run(outer, width + 40, "--dump-dom", dark=dark), re.DOTALL)
    assert found, "the page said nothing: its script has failed"
    return json.loads(html.unescape(found[1]))
