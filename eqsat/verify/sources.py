"""Rules from a module of the user: by its name, or by the path of a Python file."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from eqsat.errors import RuleError, raised_text
from eqsat.rules.rule import Rule, RuleSet


def load_rules(source: str) -> RuleSet:
    """The rules in ``RULES`` of a module, or, where there is no such list, every rule that the module names.

    Errors   RuleError for a module that cannot be imported or has no rules

    >>> from eqsat.verify import load_rules
    >>> [r.name for r in load_rules("eqsat.rules.exp_log") if r.name.startswith("log-pow")]
    ['log-pow', 'log-pow-any-exponent']
    """
    module = load_module(source)
    listed = getattr(module, "RULES", None)
    found = list(vars(module).values()) if listed is None else list(listed)
    rules = [r for r in found if isinstance(r, Rule)]
    if listed is not None and len(rules) < len(found):
        wrong = next(r for r in found if not isinstance(r, Rule))
        raise RuleError(f"RULES of {source} holds {wrong!r}, which is no rule")
    if not rules:
        raise RuleError(f"there are no rules in {source}", needs="a list RULES, or rules with names")
    return RuleSet(rules)


def load_module(source: str) -> ModuleType:
    """A module by its name or by the path of its file; each file is run once.

    Errors   RuleError for a file that does not exist, and for a module that raises something, with the line
    """
    path = Path(source)
    if path.suffix != ".py":
        sys.path[:0] = [""] if "" not in sys.path else []  # as `python -m` has it
        try:
            return import_module(source)
        except ModuleNotFoundError as error:
            raise RuleError(
                f"cannot import {source}: {error}", needs="a module, or a path that ends in .py"
            ) from error
        except Exception as error:
            raise _refused(f"cannot import {source}", error) from error
    if not path.is_file():
        raise RuleError(f"there is no file {source}")
    name = f"eqsat_rules_of_{path.stem}"
    loaded = sys.modules.get(name)
    if loaded is not None and loaded.__file__ == str(path.resolve()):
        return loaded
    spec = spec_from_file_location(name, path.resolve())
    assert spec is not None and spec.loader is not None, source
    module = sys.modules[name] = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise _refused(f"cannot run {source}", error) from error
    return module


def _refused(what: str, error: Exception) -> RuleError:
    """The error that a module raised, with the line, and the way out where it is said."""
    return RuleError(
        f"{what}: {raised_text(error)}",
        needs=getattr(error, "needs", None),
        hint=getattr(error, "hint", None),
    )
