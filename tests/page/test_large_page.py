"""The page of a transformer of 12 layers with its gradients: few boxes at first, quick, and all can be found and reached by keys."""

from __future__ import annotations

import resource
from pathlib import Path
from typing import Any

import pytest

import eqsat
import eqsat.tensor as T
from eqsat.inspect.comparison.comparison_page import graph_page
from tests.page.browser import BROWSER, ask
from tests.page.test_groups import data_of

pytestmark = pytest.mark.skipif(BROWSER is None, reason="no browser is installed")


def block(v: Any, k: int, w: dict[str, Any]) -> Any:
    """A block of attention and two layers, with its own weights."""
    for name in ("q", "k", "v", "up", "down"):
        w[f"{name}{k}"] = T.dmatrix(f"{name}{k}")
    with eqsat.name_scope(f"block{k}"):
        with eqsat.name_scope("attention"):
            q, s = T.dot(v, w[f"q{k}"]), T.dot(v, w[f"k{k}"])
            v = v + T.dot(T.nnet.softmax(T.dot(q, s.T) / T.sqrt(v.shape[0])), T.dot(v, w[f"v{k}"]))
        with eqsat.name_scope("mlp"):
            v = v - T.mean(v, axis=1, keepdims=True)
            return v + T.dot(T.tanh(T.dot(v, w[f"up{k}"])), w[f"down{k}"])


@pytest.fixture(scope="module")
def outputs() -> list[Any]:
    v, w = T.dmatrix("x"), dict[str, Any]()
    for k in range(12):
        v = block(v, k, w)
    loss = T.sum(T.log(T.cosh(v)))
    return [loss, *T.grad(loss, list(w.values()))]


@pytest.fixture(scope="module")
def page(outputs: list[Any]) -> str:
    return graph_page(outputs, "transformer")


@pytest.fixture(scope="module")
def pair(outputs: list[Any]) -> str:
    """A page with both gradients and loss, which differ in the last ops of the second."""
    return eqsat.compare(outputs, [T.sqr(T.tanh(outputs[0])), *outputs[1:]]).html()


def seconds_of(text: str, folder: Path) -> tuple[Any, float]:
    """The boxes that are seen at first, and processor seconds of the browser in all."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = ask(text, "return document.querySelectorAll('.canvas .eq-box').length", folder)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return found, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_a_large_page_is_small_at_first_and_quick(page: str, pair: str, tmp_path: Path) -> None:
    _, least = seconds_of("<!DOCTYPE html><html><body></body></html>", tmp_path)
    for text in (page, pair):
        boxes, seconds = seconds_of(text, tmp_path)
        assert 10 < boxes <= 60
        assert seconds - least < 2.0


SEARCH = """
  const field = document.getElementById('find'), list = document.getElementById('found'), said = {};
  const key = (on, k) => on.dispatchEvent(new KeyboardEvent('keydown', { key: k, bubbles: true, cancelable: true }));
  const type = (text) => { field.value = text; field.dispatchEvent(new Event('input')); };
  const p = eqsatPanels[0], here = () => document.activeElement, seen = () => p.svg.querySelectorAll('.eq-box').length;
  said.first = seen();
  said.hidden = list.hidden;
  type('block7/attention softmax');
  said.options = [...list.children].map((li) => li.textContent);
  said.expanded = field.getAttribute('aria-expanded');
  said.active = field.getAttribute('aria-activedescendant');
  said.marked = p.svg.querySelectorAll('.eq-found').length;
  said.count = document.getElementById('found-count').textContent;
  key(field, 'ArrowDown'); said.second = field.getAttribute('aria-activedescendant');
  key(field, 'ArrowUp'); key(field, 'Enter');
  said.reached = here().getAttribute('aria-label');
  said.shown = here().classList.contains('eq-found') && list.hidden;
  const at = here().getBoundingClientRect(), stage = p.svg.getBoundingClientRect();
  said.inView = at.left >= stage.left && at.right <= stage.right && at.top >= stage.top && at.bottom <= stage.bottom;
  said.note = p.note.textContent;
  key(here(), 'Escape'); said.closed = [here().getAttribute('aria-label'), here().getAttribute('aria-expanded')];
  key(here(), 'Enter'); said.opened = [here().getAttribute('aria-label'), here().getAttribute('aria-expanded')];
  for (let k = 0; k < 9 && !here().getAttribute('aria-label').startsWith('block7: '); k++) key(here(), 'Escape');
  said.outer = here().getAttribute('aria-label');
  key(here(), 'ArrowDown'); said.moved = here().getAttribute('data-id') !== null;
  field.focus(); key(field, 'Escape'); said.cleared = [field.value, list.hidden, p.svg.querySelectorAll('.eq-found').length];
  type('no such box'); said.none = [document.getElementById('found-count').textContent, list.hidden];
  type('v11'); said.input = list.children[0].textContent;
  type('test_large_page.py'); said.line = document.getElementById('found-count').textContent;
  type('');
  return said;
"""


def test_search_opens_and_keys_move(page: str, tmp_path: Path) -> None:
    said = ask(page, SEARCH, tmp_path)
    assert said["hidden"] and said["expanded"] == "true" and said["active"] == "found-0"
    assert all(text.startswith("softmax") and "block7" in text for text in said["options"])
    assert said["count"].startswith(f"{len(said['options'])} found") and said["marked"] > 0
    assert said["second"] == ("found-1" if len(said["options"]) > 1 else "found-0")
    assert said["reached"].startswith("softmax") and "costs" in said["reached"] and said["shown"]
    assert (
        said["inView"] and "scope block7/attention" in said["note"] and "test_large_page.py:" in said["note"]
    )
    assert said["closed"][1] == "false" and said["opened"] == [said["closed"][0], "true"] and said["moved"]
    assert said["outer"].startswith("block7: ") and "ops" in said["outer"]
    assert said["cleared"] == ["", True, 0] and said["none"] == ["nothing found", True]
    assert said["input"].startswith("v11") and int(said["line"].split()[0]) > 500


REST = """
  const said = {}, p = eqsatPanels[0], q = eqsatPanels[1], named = (e) => e.getAttribute('aria-label') || e.textContent.trim();
  const rows = [...document.querySelectorAll('tr[data-n]')];
  const closed = [...q.all.values()].filter((i) => i.k === 'op' && i.at.holder && !i.hide && rows.some((r) => +r.dataset.n === i.n)).pop();
  const row = rows.find((r) => +r.dataset.n === closed.n);
  row.querySelector('.to-box').click();
  said.reached = document.activeElement.getAttribute('aria-label') && +eqsatPanels.flatMap((v) => [...v.all.values()]).find((i) => i.id === document.activeElement.dataset.id && i.n === closed.n)?.n === closed.n;
  said.here = row.classList.contains('here');
  document.querySelector('.to-row').click();
  said.back = document.activeElement.closest('tr')?.dataset.n === row.dataset.n;
  said.shapes = p.figure.querySelector('[data-do=shapes]').getAttribute('aria-pressed');
  const count = () => p.svg.querySelectorAll('.eq-box').length;
  const before = count(); p.every(true); said.all = count();
  p.figure.querySelector('[data-do=shapes]').click();
  said.pressed = p.figure.querySelector('[data-do=shapes]').getAttribute('aria-pressed'); said.more = count();
  p.figure.querySelector('[data-do=shapes]').click(); said.again = count(); said.before = before;
  p.every(false); said.few = count();
  said.mini = [...p.mini.querySelectorAll('.box')].length;
  p.zoom(4); const was = { ...p.view }, box = p.mini.getBoundingClientRect();
  p.mini.dispatchEvent(new PointerEvent('pointerdown', { clientX: box.left + box.width / 2, clientY: box.top + box.height - 12, buttons: 1, bubbles: true }));
  said.jumped = p.view.y !== was.y;
  said.unnamed = [...document.querySelectorAll('button, [role=button], [role=group], [role=toolbar], [role=listbox], input')].filter((e) => !named(e) && !e.labels?.length).length;
  said.tabs = eqsatPanels.map((v) => v.svg.querySelectorAll('[tabindex="0"]').length);
  said.expandable = [...document.querySelectorAll('.eq-group')].every((g) => g.getAttribute('aria-expanded') === 'false');
  said.ids = new Set([...document.querySelectorAll('[id]')].map((e) => e.id)).size === document.querySelectorAll('[id]').length;
  said.mark = getComputedStyle(document.documentElement).getPropertyValue('--mark').trim();
  return said;
"""


@pytest.mark.parametrize("dark", [False, True])
def test_costs_lead_to_boxes_and_back_and_shapes_can_be_shown(pair: str, tmp_path: Path, dark: bool) -> None:
    said = ask(pair, REST, tmp_path, dark=dark)
    assert said["reached"] and said["here"] and said["back"]
    assert (said["shapes"], said["pressed"]) == ("false", "true")
    assert said["few"] < said["before"] < said["all"] < said["more"] and said["again"] == said["all"]
    assert said["mini"] >= said["few"] - 5 and said["jumped"]
    assert said["unnamed"] == 0 and said["tabs"] == [1, 1] and said["expandable"] and said["ids"]
    assert said["mark"] == ("#ffb454" if dark else "#b3540a")


def test_what_changed_is_open_at_first(pair: str) -> None:
    _, second = data_of(pair)
    changed = [i for i in second["items"] if i.get("s") == "new" and "f" in i]
    same = [i for i in second["items"] if i.get("s") == "old" and "f" in i]
    assert same and all(not i.get("open") for i in same) or all(i.get("open") for i in changed)
