"""A rule becomes egglog text: the left side and the condition are matched, the right side is joined to it."""

from __future__ import annotations

from typing import Any

from eqsat.errors import RuleError
from eqsat.graph.declare import OPS
from eqsat.graph.dtypes import CODE, FIRST_FLOAT_CODE
from eqsat.graph.parameters import Codes
from eqsat.rules.pattern import Meta, Number, Parameter, ParameterCall, Term, metas_of, subterms
from eqsat.rules.rule import Rule

EMPTY = Codes()


class RuleText:
    """Collects the body of one rule while its two sides are translated."""

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self.body: list[str] = []
        self.count = 0
        self.asked: set[str] = set()

    def fresh(self, hint: str) -> str:
        """A variable that is not in use."""
        self.count += 1
        return f"?{hint}{self.count}"

    def text(self) -> str:
        """The whole rule in egglog."""
        rule = self.rule
        self.match_root(rule.left)
        for meta in sorted(metas_of(rule.left), key=lambda m: m.name):
            self.domain(meta)
        for fact, args in rule.when.facts if rule.when else ():
            self.condition(fact, args)
        self.check_shape()
        right = self.build(rule.right, None)
        head = f"(union ?e {right})"
        if rule.tier == "stabilises":
            head += f" (unstable_{rule.left.op} {self.root_arguments})"
        return f'(rule ({" ".join(self.body)}) ({head}) :ruleset {rule.ruleset} :name "{rule.name}")'

    # ------------------------------------------------------------------------------------------ left side

    def match_root(self, left: Term) -> None:
        """Match the left side with ``?e`` as its class."""
        args = [self.match(a) for a in left.args]
        if self.rule.tier == "stabilises":
            args = [self.named(a) for a in args]
        params = [self.match_parameter(left, i) for i in range(len(left.params))]
        self.root_arguments = " ".join(args + params)
        self.body.insert(0, f"(= ?e (o_{left.op} {self.root_arguments}))")

    def named(self, text: str) -> str:
        """A variable for a matched term."""
        if text.startswith("?"):
            return text
        name = self.fresh("r")
        self.body.append(f"(= {name} {text})")
        return name

    def match(self, pattern: Any) -> str:
        """Egglog text that matches a pattern; numbers become variables with a known filling."""
        stack: list[tuple[Any, bool]] = [(pattern, False)]
        done: list[str] = []
        while stack:
            item, ready = stack.pop()
            if isinstance(item, Meta):
                done.append(f"?{item.name}")
            elif isinstance(item, Number):
                name = self.fresh("n")
                self.body.append(f"(= {item.value!r} (cval {name}))")
                done.append(name)
            elif not ready:
                stack.append((item, True))
                stack.extend((a, False) for a in reversed(item.args))
            else:
                count = len(item.args)
                args = done[len(done) - count :]
                del done[len(done) - count :]
                params = [self.match_parameter(item, i) for i in range(len(item.params))]
                done.append(f"(o_{item.op} {' '.join(args + params)})")
        return done[0]

    def match_parameter(self, term: Term, index: int) -> str:
        """A parameter on the left: a metavariable, or a value that is compared."""
        value = term.params[index]
        if isinstance(value, Parameter):
            return f"?{value.name}"
        kind = list(OPS[term.op].parameters.values())[index]
        if not kind.native or isinstance(value, ParameterCall):
            raise RuleError(f"rule {self.rule.name}: {value} cannot be matched")
        name = self.fresh("p")
        self.body.append(f"(= {name} {kind.encode(value, EMPTY)})")
        return name

    def ask(self, table: str, name: str) -> str:
        """Variable that holds an analysis value of a tensor variable."""
        found = f"?{table}_{name.lstrip('?')}"
        if found not in self.asked:
            self.asked.add(found)
            self.body.append(f"(= {found} ({table} {name}))")
        return found

    def domain(self, meta: Meta) -> None:
        """Limit a metavariable to its dtypes."""
        if meta.domain != "any":
            test = ">=" if meta.domain == "float" else "<"
            self.body.append(f"({test} {self.ask('dtype', '?' + meta.name)} {FIRST_FLOAT_CODE})")

    def condition(self, fact: str, args: tuple[Any, ...]) -> None:
        """Facts that must be known; nothing known means no."""
        a = f"?{args[0].name}"
        b = f"?{args[1].name}" if len(args) > 1 else ""
        signs = {"positive": ("lo", ">"), "nonneg": ("lo", ">="), "negative": ("hi", "<"), "nonpos": ("hi", "<=")}
        if fact in signs:
            table, test = signs[fact]
            self.body.append(f"({test} {self.ask(table, a)} 0.0)")
        elif fact in ("nonzero", "finite"):
            self.body.append(f"({fact} {a})")
        elif fact == "uniform":
            self.ask("cval", a)
        elif fact == "invariant":
            self.body.append(f"(= {b} (& {self.ask('mask', a)} {b}))")
        elif fact == "covers":
            self.body.append(f"(= 0 (& {self.ask('mask', a)} {b}))")
        elif fact == "same_dtype":
            self.body.append(f"(= {b} {self.ask('dtype', a)})")
        elif fact == "widens":
            self.body.append(f"(dtype_widens {self.ask('dtype', a)} {b})")
        elif fact == "swaps":
            self.body.append(f"(pattern_swaps {a})")
        elif fact == "disjoint":
            self.body.append(f"(= 0 (& {a} {b}))")
        else:
            raise RuleError(f"rule {self.rule.name}: unknown condition {fact!r}")

    # --------------------------------------------------------------------------------------------- shapes

    def check_shape(self) -> None:
        """Ask for equal masks of length-1 axes where the right side could have another shape than the left."""
        left, right = self.rule.left, self.rule.right
        if is_elementwise(left) and is_elementwise(right) and metas_of(left) == metas_of(right):
            return
        mask = self.mask(right)
        if mask is not None and not self.masks_agree(left, right):
            self.body.append(f"(= {self.ask('mask', '?e')} {mask})")

    def masks_agree(self, left: Any, right: Any) -> bool:
        """True where both sides reduce by the same parameters and name the same tensors."""
        mine, theirs = self.mask_text(left), self.mask_text(right)
        return mine is not None and mine == theirs

    def mask(self, pattern: Any) -> str | None:
        """Egglog expression for the mask of a right side, with the masks it needs asked for."""
        text = self.mask_text(pattern)
        if text is not None:
            for meta in sorted(metas_of(pattern), key=lambda m: m.name):
                self.ask("mask", f"?{meta.name}")
        return text

    def mask_text(self, pattern: Any) -> str | None:
        """The mask of a pattern of elementwise ops and reductions; None where another op is in it."""
        if isinstance(pattern, Meta):
            return f"?mask_{pattern.name}"
        if isinstance(pattern, Number):
            return "-1"
        d = OPS[pattern.op]
        parts = [self.mask_text(a) for a in pattern.args]
        if any(p is None for p in parts) or d.kind not in ("elemwise", "reduce"):
            same = d.type_text is not None and d.type_text[2] == "mask_x"
            return parts[0] if same else None
        if d.kind == "reduce":
            return f"(| {parts[0]} {self.parameter(pattern.params[0], d.name, 0)})"
        unique = sorted({p for p in parts if p is not None and p != "-1"})
        text = unique[0] if unique else "-1"
        for p in unique[1:]:
            text = f"(& {text} {p})"
        return text

    # ----------------------------------------------------------------------------------------- right side

    def build(self, pattern: Any, sibling: Any) -> str:
        """Egglog text that makes a right side; numbers take the dtype of the operand beside them."""
        if isinstance(pattern, Meta):
            return f"?{pattern.name}"
        if isinstance(pattern, Number):
            tag = 1 if str(pattern.value).startswith("-0") else 0
            dtype = self.dtype(sibling) if sibling is not None else self.ask("dtype", "?e")
            return f"(Num {pattern.value!r} {tag} {dtype} {self.ask('ndim', '?e')})"
        args = [self.build(a, self.sibling(pattern, i)) for i, a in enumerate(pattern.args)]
        params = [self.parameter(p, pattern.op, i) for i, p in enumerate(pattern.params)]
        return f"(o_{pattern.op} {' '.join(args + params)})"

    def sibling(self, term: Term, index: int) -> Any:
        """The operand whose dtype the operand at ``index`` shares, if another than a number does."""
        letters = OPS[term.op].signature.partition("->")[0].split(",")
        for i, other in enumerate(term.args):
            if letters[i : i + 1] == letters[index : index + 1] and not isinstance(other, Number):
                return other
        return None

    def dtype(self, pattern: Any) -> str:
        """Egglog text for the dtype of a pattern."""
        while isinstance(pattern, Term):
            d = OPS[pattern.op]
            letters, _, out = d.signature.partition("->")
            if out == "?":
                return str(CODE["bool"])
            if out == "d":
                return self.parameter(pattern.params[0], pattern.op, 0)
            names = letters.split(",") if letters else ["x"]
            usable = [a for k, a in zip(names, pattern.args, strict=False) if not out or k == out]
            inner = [a for a in usable if not isinstance(a, Number)]
            if not inner:
                return self.ask("dtype", "?e")
            pattern = inner[0]
        return self.ask("dtype", f"?{pattern.name}")

    def parameter(self, value: Any, op: str, index: int) -> str:
        """A parameter on the right: a metavariable, a function of some, or a value."""
        if isinstance(value, Parameter):
            return f"?{value.name}"
        if isinstance(value, ParameterCall):
            args = " ".join(self.parameter(a, op, index) for a in value.args)
            if value.function in ("|", "&"):
                return f"({value.function} {args})"
            known = f"?{value.function}_{args.replace(' ', '_').replace('?', '')}"
            if known not in self.asked:
                self.asked.add(known)
                self.body.append(f"(call_{value.function} {args} {known})")
            return known
        kind = list(OPS[op].parameters.values())[index]
        if not kind.native:
            raise RuleError(f"rule {self.rule.name}: {value} cannot be built")
        return str(kind.encode(value, EMPTY))


def is_elementwise(pattern: Any) -> bool:
    """True for a pattern in which every op is elementwise."""
    return all(OPS[p.op].kind == "elemwise" for p in subterms(pattern) if isinstance(p, Term))


def rule_text(rule: Rule) -> str:
    """Egglog text of a rule."""
    return RuleText(rule).text()


def ops_of(pattern: Any) -> set[str]:
    """Names of the ops in a pattern."""
    return {p.op for p in subterms(pattern) if isinstance(p, Term)}


def relevant(rules: Any, present: set[str]) -> tuple[list[Rule], set[str]]:
    """The rules that can fire in a graph of some ops, and the ops that can come to exist in it."""
    known = set(present)
    chosen: list[Rule] = []
    rest = list(rules)
    while True:
        new = [r for r in rest if ops_of(r.left) <= known]
        if not new:
            return sorted(chosen, key=lambda r: r.name), known
        chosen += new
        rest = [r for r in rest if r not in new]
        for r in new:
            known |= ops_of(r.right)
