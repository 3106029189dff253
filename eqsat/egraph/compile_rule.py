"""A rule becomes egglog text: the left side and the condition are matched, the right side is joined to it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np

from eqsat.egraph.call_tables import answered, wanted
from eqsat.egraph.chain_schema import SHORT, multiset_text
from eqsat.egraph.infix import atoms, inlined, number_text
from eqsat.egraph.matrix_schema import move, number_of_move
from eqsat.egraph.packed import MASK, PARTS, TESTS, VALUED, VARIED
from eqsat.egraph.pattern_types import is_elementwise, mask_text, names_to_check, rank_text
from eqsat.egraph.schema import KEPT, ZERO
from eqsat.errors import RuleError
from eqsat.graph.declare import OPS
from eqsat.graph.dtypes import CODE
from eqsat.graph.parameters import AXES, Codes
from eqsat.graph.part_calls import CALLS
from eqsat.rules.facts import FACTS, Fact
from eqsat.rules.pattern import (
    Literal,
    Meta,
    NewValue,
    Number,
    Parameter,
    ParameterCall,
    Term,
    Value,
    metas_of,
    subterms,
)
from eqsat.rules.pattern_parts import operand_models
from eqsat.rules.rule import HIDDEN, Rule, held_by_float32

EMPTY = Codes()
LITERALS: dict[
    Literal, int
] = {}  # values of parameters in rules, by a number that is the same in every graph
PLACE = re.compile(r"\{(?:(\w+) )?(\w+)\}")  # of an operand, or of what a table holds of it
ON_CODES = {  # functions of parameters that are arithmetic on their codes
    "|": "(| {0})",
    "&": "(& {0})",
    "later": "(<< {0} 1)",
    "next": "(+ {0} 1)",
    "alone": "(<< 1 {0})",
    "only": "(log2 {0})",
    "picked": "(<< (- (<< 1 (>> {0} 16)) 1) (& {0} 255))",
}
ASKED = {"ones": "mask", "lengths": "lengths", "rank_of": "ndim"}  # what a call may be told of a tensor


def number_of_literal(value: Literal) -> int:
    """The number that stands for a value in the texts of rules."""
    return LITERALS.setdefault(value, len(LITERALS))


class RuleText:
    """Collects the body of one rule while its two sides are translated.

    A rule with numbers that float32 does not hold has a text for each ``precision``, in which they are rounded to it.
    """

    def __init__(self, rule: Rule, precision: str = "") -> None:
        self.rule, self.precision = rule, precision
        self.name = rule.name if precision in ("", "float64") else f"{HIDDEN}{rule.name}/{precision}"
        self.body: list[str] = []
        self.count = 0
        self.asked: set[str] = set()
        self.parts: dict[str, str] = {}  # variables of what is computed from the bits of a class
        self.computed: dict[str, str] = {}
        self.wants: list[str] = []
        self.numbers: list[str] = []  # variables of the numbers on the left
        self.root = "?_e"  # the class of the output that is at hand
        self.matched: dict[Term, list[str]] = {}  # operands and parameters of the terms of the left side
        self.class_of: dict[Any, str] = {}  # variables of the patterns that divide

    def fresh(self, hint: str) -> str:
        """A variable that is not in use."""
        self.count += 1
        return f"?_{hint}{self.count}"

    def text(self) -> str:
        """The whole rule in egglog."""
        rule = self.rule
        if rule.multiset:
            return multiset_text(rule)
        self.match_root(rule.left)
        if "push" in rule.tags:
            whole, *_, pattern = self.root_arguments.split()
            self.body.append(f"(push {whole} {pattern})")
        if "pick" in rule.tags:
            self.body.append(f"(= 0 (& {KEPT} {self.ask('made', self.root_arguments.split()[0])}))")
        if "short" in rule.tags:
            self.body.append(f"(<= {self.ask('links', '?_e')} {SHORT})")
        if rule.left.op != "fill" and "filled" not in rule.tags:
            # a class that is a known number needs no other form, and would breed numbers
            bits = VALUED if rule.tier == "extends" else VARIED  # what has no value is extended no further
            self.body.append(f"(= 0 (& {bits} {self.ask('info', '?_e')}))")
        self.match_others()
        for meta, name in names_to_check(rule, "?_info__e" in self.asked).items():
            self.ask(meta.domain, name)
        for fact, args in rule.when.facts if rule.when is not None else ():
            self.condition(fact, args)
        for divisor in rule.divisors:
            self.body.append(f"(= 0 (& {ZERO} {self.ask('made', self.class_of[divisor])}))")
        head = self.joined()
        if rule.tier == "stabilises":
            head += f" (unstable_{rule.left.op} {self.root_arguments})"
            if OPS[rule.left.op].commutative:
                head += f" (unstable_{rule.left.op} {' '.join(reversed(self.root_arguments.split()))})"
        for part in rule.prices:
            operands = self.matched[part]
            head += f" (unstable_{part.op} {' '.join(operands)})"
            if OPS[part.op].commutative:
                head += f" (unstable_{part.op} {' '.join(reversed(operands))})"
        if rule.replaces:  # the last action: what is matched no more is still there to be chosen
            head += f" (subsume (o_{rule.left.op} {self.root_arguments}))"
        self.body, head = inlined(self.body, head, self.parts)
        return f'(rule ({" ".join(self.body)}) ({head}) :ruleset {rule.ruleset} :name "{self.name}")'

    # ------------------------------------------------------------------------------------------ left side

    def match_root(self, left: Term) -> None:
        """Match the left side with ``?_e`` as its class."""
        args = [self.match(a) for a in left.args]
        if self.rule.tier == "stabilises" or self.rule.replaces or self.rule.tags & {"push", "pick"}:
            args = [self.named(a) for a in args]
        params = [self.match_parameter(left, i) for i in range(len(left.params))]
        self.root_arguments = " ".join(args + params)
        self.first_operand = {"final": args[-2:-1], "state": ["?_e"]}.get(left.op, args[:1])
        self.body.insert(0, f"(= ?_e (o_{left.op} {self.root_arguments}))")

    def match_others(self) -> None:
        """Match the left sides of further outputs, each a value of its own."""
        for i, (left, _) in enumerate(self.rule.others, 2):
            self.body.append(f"(= ?_e{i} {self.match(left)})")
            self.body += [f"(!= ?_e{i} {other})" for other in ["?_e", *(f"?_e{k}" for k in range(2, i))]]
            self.body.append(f"(= 0 (& {VARIED} {self.ask('info', f'?_e{i}')}))")

    def joined(self) -> str:
        """The actions that join the classes of the outputs to what the right sides make."""
        heads = []
        for i, (left, right) in enumerate(self.rule.pairs, 1):
            self.root = "?_e" if i == 1 else f"?_e{i}"
            self.check_shape(left, right)
            heads.append(f"(union {self.root} {self.build(right, None, None)})")
        return " ".join(heads)

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
            if isinstance(item, Meta) and item in self.class_of and "compared-last" in self.rule.tags:
                done.append(self.again(f"?{item.name}"))
            elif isinstance(item, Meta):
                self.class_of[item] = f"?{item.name}"
                done.append(f"?{item.name}")
            elif isinstance(item, Number):
                name = self.fresh("n")
                self.body.append(f"(= {self.held(item.value)} (cval {name}))")
                if not held_by_float32(item.value):
                    self.only(self.ask("dtype", name))
                self.numbers.append(name)
                done.append(name)
            elif not ready:
                stack.append((item, True))
                stack.extend((a, False) for a in reversed(item.args))
            else:
                count = len(item.args)
                args = done[len(done) - count :]
                del done[len(done) - count :]
                params = [self.match_parameter(item, i) for i in range(len(item.params))]
                self.matched[item] = args + params
                text = f"(o_{item.op} {' '.join(args + params)})"
                if item in self.rule.divisors:
                    self.class_of[item] = text = self.named(text)
                done.append(text)
        return done[0]

    def again(self, name: str) -> str:
        """A variable for a class that stands in the pattern before; they are compared when all the rest has matched.

        egglog cuts a query with a long cycle in two, and computes all rows of one of them whatever is new.
        """
        other = self.fresh("again")
        self.body.append(f"(= (ordering-max {name} {other}) (ordering-min {name} {other}))")
        return other

    def match_parameter(self, term: Term, index: int) -> str:
        """A parameter on the left: a metavariable, or a value that is compared."""
        value = term.params[index]
        if isinstance(value, Parameter):
            return f"?{value.name}"
        if isinstance(value, Literal):
            return self.literal(value)
        kind = list(OPS[term.op].parameters.values())[index]
        if not kind.native or isinstance(value, ParameterCall):
            raise RuleError(f"rule {self.rule.name}: {value} cannot be matched")
        name = self.fresh("p")
        self.body.append(f"(= {name} {kind.encode(value, EMPTY)})")
        return name

    def literal(self, value: Literal) -> str:
        """Variable of the code that a value has in the graph at hand."""
        name = f"?_lit{number_of_literal(value)}"
        if name not in self.asked:
            self.asked.add(name)
            self.body.append(f"(literal {name[5:]} {name})")
        return name

    def ask(self, table: str, name: str) -> str:
        """Variable that holds an analysis value of a tensor variable; none for what it is only tested for."""
        if table == "bits":
            return self.ask("info", name)
        found = f"?_{table}_{name.lstrip('?')}"
        if found not in self.asked:
            self.asked.add(found)
            if table in TESTS:
                self.body.append(TESTS[table].format(self.ask("info", name)))
                return ""
            text = PARTS[table].format(self.ask("info", name)) if table in PARTS else f"({table} {name})"
            self.body.append(f"(= {found} {text})")
            if table in PARTS:
                self.parts[found] = text
        return found

    def condition(self, name: str, args: tuple[Any, ...]) -> None:
        """Facts that must be known; nothing known means no."""
        fact, number = FACTS.get(name), isinstance(args[0], Value)
        if fact is None or (fact.about == "numbers") != number:
            kind = " on a number" if number else ""
            raise RuleError(f"rule {self.rule.name}: unknown condition {name!r}{kind}")
        self.require(fact, [self.value(a) if number else self.operand(a) for a in args])

    def require(self, fact: Fact, operands: list[str]) -> None:
        """Ask for what a fact says of operands."""
        texts = dict(zip("abc", operands))
        for op, names in fact.wants:
            self.wanted(f"(o_{op} {' '.join(texts[name] for name in names)})")

        def filled(place: re.Match[str]) -> str:
            table, operand = place.groups()
            if operand == "first":
                return str(self.first_operand[0])
            return self.ask(table, texts[operand]) if table else texts[operand]

        for part in atoms(fact.text):
            text = PLACE.sub(filled, part)
            if text.startswith("("):
                self.body.append(text)

    def operand(self, arg: Any) -> str:
        """Text of an operand of a condition: a metavariable, a call, axes, the name of a move or a number."""
        if isinstance(arg, ParameterCall):
            return self.parameter(arg, "", 0)
        if isinstance(arg, tuple):
            return str(AXES.encode(arg, EMPTY))
        if isinstance(arg, str):
            return str(number_of_move(arg))
        if isinstance(arg, Term):  # it need not be in the graph before
            text, name = self.build(arg, None, None), self.fresh("t")
            self.wanted(text)
            self.body.append(f"(= {name} {text})")
            return name
        return f"?{arg.name}" if isinstance(arg, (Meta, Parameter)) else repr(arg)

    def value(self, pattern: Any) -> str:
        """Variable that holds a computed number."""
        if not isinstance(pattern, Value):
            return number_text(float(pattern))
        if pattern.function == "value":
            return self.ask("cval", f"?{pattern.args[0].name}")
        args = " ".join(self.value(a) for a in pattern.args)
        text = f"({pattern.function} {args})"
        if text not in self.computed:
            self.computed[text] = self.fresh("v")
            self.body.append(f"(= {self.computed[text]} {text})")
        return self.computed[text]

    # --------------------------------------------------------------------------------------------- shapes

    def check_shape(self, left: Any, right: Any) -> None:
        """Ask for equal masks of length-1 axes where the right side could have another shape than the left."""
        free = not any(isinstance(p, Number) for p in subterms(left))  # a number may be a whole tensor of it
        if free and is_elementwise(left) and is_elementwise(right) and metas_of(left) == metas_of(right):
            return
        if free and self.masks_agree(left, right):
            return
        if isinstance(right, (Number, Value)):
            self.require(FACTS["one_element"], [self.root])
        elif (mask := mask_text(right, self.parameter)) is not None:
            self.same_mask(mask, right)
        elif not free:
            for name in self.numbers:
                self.require(FACTS["one_element"], [name])

    def masks_agree(self, left: Any, right: Any) -> bool:
        """True where both sides reduce by the same parameters and name the same tensors."""
        mine, theirs = mask_text(left, self.parameter), mask_text(right, self.parameter)
        return mine is not None and mine == theirs

    def same_mask(self, text: str, right: Any) -> None:
        """Ask for a mask of the root; where no bit of those of the operands moves, all bits are compared at once."""
        metas = sorted(metas_of(right), key=lambda m: m.name)
        still = metas and not re.search("<<|>>|-", text)
        for meta in metas:
            self.ask("bits" if still else "mask", f"?{meta.name}")
            if f"?_ndim_{meta.name}" in text:
                self.ask("ndim", f"?{meta.name}")
        if still:
            text = text.replace("?_mask_", "?_info_")
            self.body.append(f"(= 0 (& {MASK} (^ {self.ask('info', self.root)} {text})))")
        else:
            self.body.append(f"(= {self.ask('mask', self.root)} {text})")

    # ----------------------------------------------------------------------------------------- right side

    def build(self, pattern: Any, sibling: Any, like: Any) -> str:
        """Egglog text that makes a right side; numbers take the rank of the operand beside them, and the dtype of ``like``."""
        if isinstance(pattern, Meta):
            return f"?{pattern.name}"
        if isinstance(pattern, NewValue):
            self.body.append(f"(= ?_new_{pattern.key.name} (step_of ?{pattern.key.name}))")
            return f"?_new_{pattern.key.name}"
        if isinstance(pattern, (Number, Value)):
            dtype = self.dtype(like) if like is not None else self.ask("dtype", self.root)
            rank = self.rank(sibling) if pattern.ndim is None else pattern.ndim
            if isinstance(pattern, Value):
                return f"(Num {self.value(pattern)} 0 {dtype} {rank})"
            tag = 1 if str(pattern.value) == "-0.0" else 0
            if not held_by_float32(pattern.value):
                self.only(dtype)
            return f"(Num {self.held(pattern.value)} {tag} {dtype} {rank})"
        models = operand_models(pattern, sibling)
        args = [self.build(a, *m) for a, m in zip(pattern.args, models, strict=True)]
        params = [self.parameter(p, pattern.op, i) for i, p in enumerate(pattern.params)]
        return f"(o_{pattern.op} {' '.join(args + params)})"

    def held(self, value: float) -> str:
        """Egglog text of a number as the dtype at hand holds it."""
        return number_text(np.dtype(self.precision).type(value) if self.precision else value)

    def only(self, dtype: str) -> None:
        """Ask for the dtype at hand where a number is another one in others."""
        if self.precision:
            self.body.append(f"(= {CODE[self.precision]} {dtype})")

    def rank(self, sibling: Any) -> str:
        """Egglog text for the rank of the operand beside a number: that of the result, unless axes move."""
        text = rank_text(sibling, self.parameter)
        if text is not None:
            for meta in metas_of(sibling):
                if f"?_ndim_{meta.name}" in text:
                    self.ask("ndim", f"?{meta.name}")
            return text
        while isinstance(sibling, Term) and sibling.op != "dimshuffle":
            sibling = next((a for a in sibling.args if not isinstance(a, (Number, Value))), None)
        return self.ask("ndim", f"?{sibling.name}" if isinstance(sibling, Meta) else self.root)

    def dtype(self, pattern: Any) -> str:
        """Egglog text for the dtype of a pattern."""
        while isinstance(pattern, Term):
            d = OPS[pattern.op]
            letters, _, out = d.signature.partition("->")
            if out == "?" or out in CODE:
                return str(CODE["bool" if out == "?" else out])
            if out == "d":
                return self.parameter(pattern.params[0], pattern.op, 0)
            names = letters.split(",") if letters else ["x"]
            usable = [a for k, a in zip(names, pattern.args, strict=False) if not out or k == out]
            inner = [a for a in usable if not isinstance(a, (Number, Value))]
            if not inner:
                return self.ask("dtype", self.root)
            pattern = inner[0]
        return self.ask("dtype", f"?{pattern.name}")

    def parameter(self, value: Any, op: str, index: int) -> str:
        """A parameter on the right: a metavariable, a function of some, or a value."""
        if isinstance(value, Parameter):
            return f"?{value.name}"
        if isinstance(value, Literal):
            return self.literal(value)
        if isinstance(value, ParameterCall) and value.function in (*CALLS, *ASKED):
            return self.computed_call(value)
        if isinstance(value, ParameterCall):
            args = " ".join(
                str(a)
                if isinstance(a, (int, str))
                else self.ask("ndim", f"?{a.name}")
                if isinstance(a, Meta)
                else self.parameter(a, op, index)
                for a in value.args
            )
            if value.function in ON_CODES:
                return ON_CODES[value.function].format(args)
            if value.function == "swap":
                return self.swap()
            if value.function == "move":
                return self.named_move(value.args[0])
            known = "_".join([f"?_{value.function}", *re.findall(r"\w+", args)])
            if known not in self.asked:
                self.asked.add(known)
                self.body.append(f"(call_{value.function} {args} {known})")
            return known
        kind = list(OPS[op].parameters.values())[index]
        if not kind.native:
            raise RuleError(f"rule {self.rule.name}: {value} cannot be built")
        return str(kind.encode(value, EMPTY))

    def computed_call(self, call: Any) -> str:
        """The result of a function that Python computes; a rule of its own states that it is wanted."""
        if isinstance(call, Parameter):
            return f"?{call.name}"
        if isinstance(call, Value):
            return f"(to-i64 {self.value(call)})"
        if not isinstance(call, ParameterCall):
            return str(AXES.encode(call, EMPTY) if isinstance(call, tuple) else call)
        if call.function in ASKED:
            return self.ask(ASKED[call.function], f"?{call.args[0].name}")
        args = " ".join(self.computed_call(a) for a in call.args)
        if call.function not in CALLS:
            return ON_CODES[call.function].format(args)
        text = wanted(call.function, args)
        if text not in self.computed:
            self.wanted(text)
            self.computed[text] = self.fresh("c")
            self.body.append(answered(call.function, args, self.computed[text]))
        return self.computed[text]

    def wanted(self, text: str) -> None:
        """State in a rule of its own that something is wanted as soon as what has been asked for so far holds."""
        name, body = f"{self.name} wants {len(self.wants) + 1}", " ".join(self.body)
        self.wants.append(f'(rule ({body}) ({text}) :ruleset facts :name "{name}")')

    def named_move(self, name: str) -> str:
        """Variable of the pattern of a named move."""
        found = f"?_{name.replace(' ', '_')}"
        if found not in self.asked:
            self.asked.add(found)
            self.body.append(move(name, found))
        return found

    def swap(self) -> str:
        """Variable of the pattern (1, 0)."""
        if "?_swap" not in self.asked:
            self.asked.add("?_swap")
            self.body.append("(pattern_swaps ?_swap)")
        return "?_swap"


def rule_texts(rule: Rule) -> list[str]:
    """Egglog text of a rule, and of what states the calls that it wants."""
    if len(rule.choices) > 1:  # one rule for each, of which users know the first name
        first, *others = [rule_texts(replace(rule, when=when)) for when in rule.choices]
        mark = f':name "{HIDDEN}{rule.name}/or {{}} '
        return first + [
            t.replace(':name "', mark.format(k), 1) for k, more in enumerate(others, 2) for t in more
        ]
    if not rule.rounds_numbers:
        made = RuleText(rule)
        return [made.text(), *made.wants]
    double, single = RuleText(rule, "float64"), RuleText(rule, "float32")
    texts = [double.text(), single.text()]
    return [*texts, *double.wants, *single.wants]


def guards_shape(rule: Rule) -> bool:
    """True where the text of a rule asks that both sides have the same axes of length 1."""
    text = RuleText(rule)
    if rule.multiset:
        return False
    text.match_root(rule.left)
    before = len(text.body)
    text.check_shape(rule.left, rule.right)
    asked = ("?_mask__e", f"(^ {text.ask('info', text.root)} ")  # the masks alone, or all bits at once
    return any(name in line for line in text.body[before:] for name in asked)
