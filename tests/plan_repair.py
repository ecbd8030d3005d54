"""A repairer without a model: it mends a plan by what the validator's messages say, word for word.

It sees the plan and the findings (path, code, message), nothing else: no reference, no catalogue,
no specification. Each round it mends the first finding, then asks for the findings again.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterator, Sequence
from difflib import get_close_matches
from typing import Any

from skillbench_tasks.tools.workflow import Finding

__all__ = ["Validate", "repaired"]

Validate = Callable[[Any], list[Finding]]

ROUNDS = 30
BLOCKS = ("then", "else", "do", "catch")
BUILT_IN = ("inputs", "context", "item", "accumulator")


def repaired(plan: Any, validate: Validate) -> tuple[Any, list[Finding]]:
    """Return the mended plan and the findings that are left."""
    plan = copy.deepcopy(plan)
    for _ in range(ROUNDS):
        findings = validate(plan)
        if not findings:
            return plan, []
        try:
            _Repair(plan, findings).mend(findings[0])
        except (LookupError, TypeError, AttributeError, AssertionError):
            return plan, findings
    return plan, validate(plan)


# --- what a message says ----------------------------------------------------------------------


def told(message: str, what: str) -> list[str]:
    """Return the names that a message lists behind `nearest:`, `allowed:` …"""
    found = re.search(rf"{what}: ((?:`[^`]*`(?:, )?)+)", message)
    return re.findall(r"`([^`]*)`", found[1]) if found else []


def first_told(message: str) -> str:
    """Return the likeliest of the names that a message offers."""
    names = [
        n for what in ("nearest", "allowed", "declared", "visible") for n in told(message, what)
    ]
    return names[0]


def value_for(form: str, given: Any = None) -> Any:
    """Return a value of a form that a message asks for, as near to the given one as can be."""
    if form.startswith("one of "):
        options = [_json(text) for text in re.findall(r"`([^`]*)`", form)]
        near = get_close_matches(str(given), [str(o) for o in options], 1, 0.0)
        return next(o for o in options if str(o) == near[0]) if near else options[0]
    if form.startswith("`"):
        return _json(form.strip("`"))
    kind, _, bounds = form.partition(", ")
    kinds = kind.split(" or ")
    if "array" in kind:
        least = re.search(r"of (\d+) elements or more", bounds)
        inner = re.search(r"array of (.*)", kind)
        element = value_for(inner[1] if inner else "string", given)
        wanted = [given] if given is not None and not isinstance(given, list) else []
        return wanted or [element] * int(least[1] if least else 0)
    for one in kinds:
        if (made := _scalar(one, bounds, given)) is not None:
            return made
    return None


def _scalar(kind: str, bounds: str, given: Any) -> Any:
    while isinstance(given, list) and given:
        given = given[0]
    least = re.search(r"at least (-?[\d.]+)", bounds)
    if kind in ("integer", "number"):
        try:
            return int(given)
        except (TypeError, ValueError):
            return int(float(least[1])) if least else 1
    if kind == "string":
        return _text(bounds, given)
    if kind == "boolean":
        return given in ("true", "True", True)
    if kind.startswith("object"):
        return {name: {"$": None} for name in re.findall(r"`([^`]*)`", kind)}
    return None


def _text(bounds: str, given: Any) -> str:
    """Return the given text where it fits, else the shortest that does."""
    text = "" if given is None or isinstance(given, dict | list) else str(given)
    least = re.search(r"of (\d+) characters or more", bounds)
    if pattern := re.search(r"like (.*?)(?:, of \d|$)", bounds):
        return text if re.search(pattern[1], text) else _sample(pattern[1])
    return text.ljust(int(least[1]), "x") if least else text


def _sample(pattern: str) -> str:
    """Return a short text that a simple pattern matches."""
    text = pattern.replace(r"\d", "[0-9]").replace(r"\.", "[.]")
    text = re.sub(r"\[(\^?)(.)[^\]]*\]", lambda m: "x" if m[1] else m[2], text)
    text = re.sub(r"\((?:\?:)?([^|()]*)[^()]*\)", r"\1", text).replace("^", "").replace("$", "")
    text = re.sub(r"(.)\{(\d+)[^}]*\}", lambda m: m[1] * int(m[2]), text)
    return re.sub(r".[?*]", "", text.replace("+", ""))


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


# --- places in a plan -------------------------------------------------------------------------


def nodes_in(block: Any) -> Iterator[tuple[list[Any], int, Any]]:
    """Yield every node with its block and index."""
    for index, node in enumerate(block if isinstance(block, list) else ()):
        if isinstance(node, dict):
            yield block, index, node
            for key in BLOCKS:
                yield from nodes_in(node.get(key))


class _Repair:
    """One repair of one plan."""

    def __init__(self, plan: Any, findings: Sequence[Finding]) -> None:
        self.plan, self.findings = plan, findings

    def mend(self, finding: Finding) -> None:
        getattr(self, f"_{finding.code}")(finding)

    def at(self, path: str) -> Any:
        container, key = self.place(path)
        return container[key]

    def place(self, path: str) -> tuple[Any, Any]:
        """Return container and key of a path; the last key need not be there."""
        here: Any = self.plan
        rest = path
        while True:
            if index := re.match(r"\[(\d+)\]", rest):
                key: Any = int(index[1])
                rest = rest[index.end() :]
            else:
                rest = rest.removeprefix(".")
                known = [k for k in here if rest == k or re.match(rf"{re.escape(k)}[.\[]", rest)]
                key = max(known, key=len) if known else rest
                rest = rest[len(key) :]
            if not rest:
                return here, key
            here = here[key]

    def expression(self, path: str) -> tuple[Any, Any]:
        """Return container and key of the string with a reference at a path."""
        container, key = self.place(path)
        if key in ("var", "exists") and isinstance(container[key], list):
            return container[key], 0
        return container, key

    def orphans(self) -> list[str]:
        """Return names that are used and that nothing binds."""
        text = json.dumps(self.plan)
        used = re.findall(r'\$\{([a-z][a-z0-9_]*)|"(?:var|exists)": \[?"([a-z][a-z0-9_]*)', text)
        keys = {"call": ("id",), "for_each": ("as",), "try": ("as",), "set": ("name",)}
        bound = {
            node[key]
            for _, _, node in nodes_in(self.plan["steps"])
            for key in keys.get(str(node.get("kind")), ())
            if isinstance(node.get(key), str)
        }
        names = [a or b for a, b in used]
        return [n for n in dict.fromkeys(names) if n not in bound and n not in BUILT_IN]

    def replace_name(self, path: str, old: str, new: str) -> None:
        """Replace a name, or the head of a path, in the reference at a place."""
        container, key = self.expression(path)
        text = container[key]
        head = re.escape(old) + r"(?![A-Za-z0-9_-])"
        if "${" in text:
            container[key] = re.sub(r"(\$\{)" + head, lambda m: m[1] + new, text)
        else:
            container[key] = re.sub("^" + head, lambda m: new, text)

    def node_of(self, path: str) -> tuple[list[Any], int, str]:
        """Return block, index and path of the node in which a place stands."""
        found = list(re.finditer(r"(?:steps|\.(?:then|else|do|catch))\[\d+\]", path))
        node = path[: found[-1].end()]
        block, index = self.place(node)
        return block, index, node

    # --- shape -----------------------------------------------------------------------------------

    def _missing_key(self, finding: Finding) -> None:
        container, key = self.place(finding.path)
        misspelt = self._misspelt(finding.path.rpartition(".")[0], key)
        if misspelt is not None:
            container[key] = container.pop(misspelt)
        elif key == "kind":
            likely = re.search(r"it is `([^`]*)`", finding.message)
            container[key] = likely[1] if likely else told(finding.message, "allowed")[0]
        else:
            form = finding.message.partition("`: ")[2]
            forms = {
                "the integer 1": 1,
                "a list of nodes, which may be empty": [],
                "a rule that gives a boolean": True,
                "an expression that gives a list": [],
                "an expression": None,
                "a tool name, mcp.<server>:<tool>": "mcp.server:tool",
            }
            container[key] = self._new_name() if form == "a name" else forms[form]

    def _misspelt(self, owner: str, key: str) -> str | None:
        """Return the unknown key beside a missing one that is nearest to it."""
        for other in self.findings:
            at, _, wrong = other.path.rpartition(".")
            if (
                other.code == "unknown_key"
                and at == owner
                and key in told(other.message, "nearest")
            ):
                return wrong
        return None

    def _new_name(self, taken: str = "made") -> str:
        orphans = self.orphans()
        return orphans[0] if orphans else f"{taken}_2"

    def _unknown_key(self, finding: Finding) -> None:
        container, key = self.place(finding.path)
        near = told(finding.message, "nearest")
        if near and near[0] not in container:
            container[near[0]] = container.pop(key)
        else:
            del container[key]

    def _unknown_kind(self, finding: Finding) -> None:
        container, key = self.place(finding.path)
        likely = re.search(r"it is `([^`]*)`", finding.message)
        container[key] = likely[1] if likely else first_told(finding.message)

    def _wrong_type(self, finding: Finding) -> None:
        container, key = self.place(finding.path)
        if "leave the key out" in finding.message:
            del container[key]
        elif "expected a list" in finding.message:
            container[key] = [container[key]]
        elif "expected an object" in finding.message:
            given = container[key]
            container[key] = given[0] if isinstance(given, list) and given else {}
        else:
            container[key] = str(container[key])

    def _bad_version(self, finding: Finding) -> None:
        self.plan["version"] = 1

    def _bad_name(self, finding: Finding) -> None:
        container, key = self.place(finding.path)
        written = re.search(r"write `([^`]*)`", finding.message)
        assert written is not None
        orphans = get_close_matches(written[1], self.orphans(), 1)
        container[key] = orphans[0] if orphans else written[1]

    def _bad_tool_name(self, finding: Finding) -> None:
        container, key = self.place(finding.path)
        server, _, tool = re.sub(r"__|:|\.", ":", container[key].removeprefix("mcp.")).partition(
            ":"
        )
        container[key] = f"mcp.{server}:{tool or 'tool'}"

    def _bad_template(self, finding: Finding) -> None:
        container, key = self.place(finding.path)
        text = container[key]
        if textless := re.match(r"`([^`]*)` is .*, which has no text", finding.message):
            container[key] = text.replace(textless[1], "")
        elif open_path := re.search(r"`(\$\{[^`]*)` has no closing", finding.message):
            container[key] = text.replace(open_path[1], f"{open_path[1]}}}", 1)
        else:
            inside = re.search(r"`(.*)` between", finding.message)
            assert inside is not None
            path = re.search(r"write `\$\{([^`]*)\}`", finding.message)
            new = f"${{{path[1]}" if path else f"$${{{inside[1]}"
            container[key] = text.replace(f"${{{inside[1]}", new, 1)

    def _bad_path(self, finding: Finding) -> None:
        container, key = self.expression(finding.path)
        container[key] = re.sub(r"[^a-z0-9_.-]", "", str(container[key]).lower()).strip(".")

    def _bad_expression(self, finding: Finding) -> None:
        container, key = self.place(finding.path)
        container[key] = {"$": container[key]["$"]}

    def _bad_rule(self, finding: Finding) -> None:
        container, key = self.place(finding.path)
        rule = container[key]
        operator = re.findall(r"`([^`]*)`", finding.message.partition(": ")[2])[0]
        container[key] = {operator: rule[operator]}

    def _unknown_operator(self, finding: Finding) -> None:
        container, key = self.place(finding.path)
        near = told(finding.message, "nearest")
        container[near[0] if near else _operator_for(container[key])] = container.pop(key)

    def _operand_count(self, finding: Finding) -> None:
        container, key = self.place(finding.path)
        operands = container[key] if isinstance(container[key], list) else [container[key]]
        wanted = re.search(r"takes (.*) operands", finding.message)
        assert wanted is not None
        counts = [int(n) for n in re.findall(r"\d+", wanted[1])]
        most = None if "at least" in wanted[1] else max(counts)
        if len(operands) < counts[0]:
            container[key] = [*operands, *[None] * (counts[0] - len(operands))]
        elif "…" in wanted[1]:
            container[key] = operands[:-1]
        else:
            container[key] = operands[:most]

    def _dialogue_not_allowed(self, finding: Finding) -> None:
        block, index, _ = self.node_of(finding.path)
        del block[index]

    # --- schema ----------------------------------------------------------------------------------

    def _unknown_tool(self, finding: Finding) -> None:
        container, key = self.place(finding.path)
        container[key] = first_told(finding.message)

    def _missing_argument(self, finding: Finding) -> None:
        arguments = self.at(finding.path)
        found = re.search(r"requires the argument `([^`]*)`: (.*)", finding.message)
        assert found is not None
        name, form = found.groups()
        for other in self.findings:
            at, _, wrong = other.path.rpartition(".")
            is_same = at == finding.path and other.code == "unknown_argument"
            if is_same and name in told(other.message, "nearest"):
                arguments[name] = arguments.pop(wrong)
                return
        arguments[name] = self._argument(name, form)

    def _argument(self, name: str, form: str) -> Any:
        """Return a value for an argument: what the plan gives elsewhere, else one of its form."""
        for _, _, node in nodes_in(self.plan["steps"]):
            elsewhere = node.get("arguments")
            if isinstance(elsewhere, dict) and _is_plain(elsewhere.get(name)):
                return elsewhere[name]
        if name in self.plan.get("inputs", {}):
            return f"${{inputs.{name}}}"
        return value_for(form)

    def _unknown_argument(self, finding: Finding) -> None:
        arguments, name = self.place(finding.path)
        near = told(finding.message, "nearest")
        if near and near[0] not in arguments:
            arguments[near[0]] = arguments.pop(name)
        else:
            del arguments[name]

    def _bad_argument(self, finding: Finding) -> None:
        container, key = self.place(finding.path)
        if lacking := re.match(r"the object lacks (.*)", finding.message):
            for name, form in re.findall(r"`([^`]*)` \(([^()]*)\)", lacking[1]):
                container[key][name] = value_for(form)
        elif few := re.match(r"expected \d+ keys or more, got \d+; (.*)", finding.message):
            container[key][(told(few[1], "allowed") or ["key"])[0]] = None
        elif unknown := re.match(r"no key `([^`]*)` here", finding.message):
            near = told(finding.message, "nearest")
            value = container[key].pop(unknown[1])
            if near and near[0] not in container[key]:
                container[key][near[0]] = value
        else:
            form = re.match(r"expected (.*), got ", finding.message)
            assert form is not None
            is_computed = "by `" in finding.message
            container[key] = value_for(form[1], None if is_computed else container[key])

    def _bad_output(self, finding: Finding) -> None:
        message = finding.message.removeprefix("the output: ")
        self._bad_argument(finding.model_copy(update={"message": message}))

    def _bad_condition(self, finding: Finding) -> None:
        container, key = self.place(finding.path)
        container[key] = "write `true`" in finding.message

    def _bad_items(self, finding: Finding) -> None:
        container, key = self.place(finding.path)
        lists = told(finding.message, "lists")
        whole = container[key]
        container[key] = f"{whole[:-1]}.{lists[0]}}}" if lists else []

    # --- references ------------------------------------------------------------------------------

    def _unknown_name(self, finding: Finding) -> None:
        name = re.search(r"nothing binds `([^`]*)`", finding.message)
        assert name is not None
        self.replace_name(finding.path, name[1], first_told(finding.message))

    def _unknown_input(self, finding: Finding) -> None:
        del self.plan["inputs"][finding.path.removeprefix("inputs.")]

    def _undeclared_input(self, finding: Finding) -> None:
        name = re.search(r"the input `([^`]*)`", finding.message)
        assert name is not None
        self.replace_name(
            finding.path, f"inputs.{name[1]}", f"inputs.{first_told(finding.message)}"
        )

    def _unknown_segment(self, finding: Finding) -> None:
        found = re.match(r"`([^`]*)`: .* no key `([^`]*)` there", finding.message)
        assert found is not None
        path, wrong = found.groups()
        head = path[: re.search(rf"\.{re.escape(wrong)}(?=\.|$)", path).start()]  # type: ignore[union-attr]
        old, new = f"{head}.{wrong}", f"{head}.{first_told(finding.message)}"
        self.replace_name(finding.path, old, new)

    def _used_before_bound(self, finding: Finding) -> None:
        if itself := re.match(r"`([^`]*)` is bound only by (\S+), in which", finding.message):
            block, index = self.place(itself[2])
            block.insert(index, {"kind": "set", "name": itself[1], "value": None})
            return
        binder = re.search(r"by (\S+); move", finding.message)
        assert binder is not None
        block, index = self.place(binder[1])
        owner = binder[1].rpartition("[")[0]
        use = re.match(rf"{re.escape(owner)}\[(\d+)\]", finding.path)
        assert use is not None
        block.insert(int(use[1]), block.pop(index))

    def _out_of_scope(self, finding: Finding) -> None:
        """Do what the message says: `set` a variable before the block, and assign it inside."""
        found = re.match(r"`([^`]*)` is bound by (\S+), in", finding.message)
        assert found is not None
        name, binder = found.groups()
        block, index = self.place(binder)
        node = block[index]
        variable = name
        if node["kind"] != "set":
            variable = f"{name}_value"
            self.replace_name(finding.path, name, variable)
            inside = {"for_each": "do", "try": "catch"}.get(node["kind"])
            target, at = (node[inside], 0) if inside else (block, index + 1)
            target.insert(at, {"kind": "set", "name": variable, "value": f"${{{name}}}"})
        outer, at = self._common_block(binder, finding.path)
        outer.insert(at, {"kind": "set", "name": variable, "value": None})

    def _common_block(self, binder: str, use: str) -> tuple[list[Any], int]:
        """Return the innermost block that holds both places, and where the binder's node is."""
        heads = [m.end() for m in re.finditer(r"(?:steps|then|else|do|catch)(?=\[)", binder)]
        owner = next(binder[:e] for e in reversed(heads) if use.startswith(binder[:e] + "["))
        index = re.match(r"\[(\d+)\]", binder[len(owner) :])
        assert index is not None
        return self.at(owner), int(index[1])

    def _name_taken(self, finding: Finding) -> None:
        container, key = self.place(finding.path)
        container[key] = self._new_name(container[key])

    _reserved_name = _set_on_bound = _name_taken

    def _unreachable(self, finding: Finding) -> None:
        block, index, _ = self.node_of(finding.path)
        ender = block.pop(index - 1)
        if block[-1]["kind"] != ender["kind"]:
            block.append(ender)


def _operator_for(operands: Any) -> str:
    count = len(operands) if isinstance(operands, list) else 1
    return {1: "!", 2: "=="}.get(count, "and")


def _is_plain(value: Any) -> bool:
    return isinstance(value, str | int | float) and "${" not in str(value)
