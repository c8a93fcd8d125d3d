# SPDX-License-Identifier: Apache-2.0
"""The reference of the Python package, read off its source: every public name with its signature and its words. Nothing is
imported, so the page can be made before the package is built."""

import ast
import pathlib
import textwrap

import program

# Public names by topic, as they stand on the page; a name that is in none of them fails the build.
TOPICS = {
    "Estimators": ["LogisticRegression", "SoftmaxRegression", "LinearSVC", "LinearRegression", "QuantileRegressor", "HuberRegressor",
                   "AdditiveClassifier", "AdditiveRegressor", "MLPClassifier", "MLPRegressor", "RuleClassifier"],
    "One number": ["mean", "median", "quantile", "Location"],
    "A table and its description": ["Schema", "Column", "Target", "SchemaDraft", "infer_schema", "InferredSchema", "read", "Dataset", "protect_process"],
    "Before a fit": ["plan", "compare", "budget_warnings", "Plan"],
    "Fit and model": ["fit", "Model", "read_model", "verify", "Certificate", "Guarantee", "Coefficient", "Curve", "Surface", "predict"],
    "What is spent on a table": ["Ledger"],
    "How good it is": ["evaluate", "held_out", "Evaluation", "report", "Report"],
    "Errors and warnings": ["ArgumentError", "DataError", "BudgetError", "InternalError", "FitInterrupted", "PrivacyWarning",
                            "NotPrivateWarning", "SpendingWarning"],
}
SHARED = "PrivateEstimator"  # what all estimators have is told once
MODULES = {"accounting": "accounting.py", "plots": "plots.py", "spark": "spark/__init__.py"}
ON_DEMAND = {"spark"}  # imported by those who have what it needs; no name of the package


class Source:
    """The top-level classes and functions of the package, by name; names that are imported under another one too."""

    def __init__(self, package: pathlib.Path):
        self.package = package
        self.found: dict[str, ast.AST] = {}
        aliases: dict[str, str] = {}
        for path in sorted([*package.glob("*.py"), *package.glob("estimators/*.py")]):
            for node in ast.parse(path.read_text()).body:
                if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and not node.name.startswith("_"):
                    self.found.setdefault(node.name, node)
                elif isinstance(node, ast.ImportFrom) and path.name == "__init__.py":
                    aliases |= {each.asname: each.name for each in node.names if each.asname}
        self.found |= {alias: self.found[name] for alias, name in aliases.items() if name in self.found}

    def public_names(self) -> set[str]:
        tree = ast.parse((self.package / "__init__.py").read_text())
        lists = [node.value for node in tree.body if isinstance(node, ast.Assign) and node.targets[0].id in ("__all__", "_ESTIMATORS")]
        return {each.value for found in lists for each in found.elts if isinstance(each, ast.Constant)}

    def bases(self, node: ast.ClassDef) -> list[ast.ClassDef]:
        """The class and those of the package that it is made from, nearest first."""
        names = [each.id for each in node.bases if isinstance(each, ast.Name)]
        found = [self.found[name] for name in names if name in self.found]
        return [node] + [above for each in found for above in self.bases(each)]


def signature(node: ast.FunctionDef, name: str, *, method: bool) -> str:
    """As it is called: without self."""
    arguments = ast.parse(f"def f({ast.unparse(node.args)}): pass").body[0].args
    if method:
        arguments.args = arguments.args[1:]
    returns = f" -> {ast.unparse(node.returns)}" if node.returns and node.name != "__init__" else ""
    return f"{name}({ast.unparse(arguments)}){returns}"


def block(text: str) -> list[str]:
    return ["```text", *textwrap.wrap(text, 100, subsequent_indent="    ", break_on_hyphens=False), "```", ""]


def words(node: ast.AST) -> list[str]:
    """A docstring as Markdown: its first line, then the rest as it is set."""
    text = ast.get_docstring(node) or ""
    first, _, rest = text.partition("\n")
    lines = [first.replace("*", "\\*").replace("<", "\\<")] if first else []
    if rest.strip():
        lines += ["", "```text", *rest.strip("\n").split("\n"), "```"]
    return lines


def is_property(node: ast.FunctionDef) -> bool:
    return any(ast.unparse(each) in ("property", "functools.cached_property") for each in node.decorator_list)


def fields(node: ast.ClassDef) -> list[str]:
    """Of a dataclass: names, types and defaults."""
    listed = [each for each in node.body if isinstance(each, ast.AnnAssign) and not each.target.id.startswith("_")]
    return [f"{each.target.id}: {ast.unparse(each.annotation)}" + (f" = {ast.unparse(each.value)}" if each.value else "") for each in listed]


def class_part(source: Source, name: str, node: ast.ClassDef) -> list[str]:
    lines = [f"### {name}", ""]
    family = source.bases(node)
    constructor = next((each for cls in family for each in cls.body if isinstance(each, ast.FunctionDef) and each.name == "__init__"), None)
    declared = fields(node)
    if constructor:
        lines += block(signature(constructor, name, method=True))
    elif declared:
        lines += block(f"{name}({', '.join(declared)})")
    lines += words(node)
    return lines + members([each for each in family if each.name != SHARED])


def members(family: list[ast.ClassDef]) -> list[str]:
    """Public methods and properties, those of the nearest class first."""
    lines, seen = [], set()
    for each in (each for cls in family for each in cls.body if isinstance(each, ast.FunctionDef)):
        if each.name.startswith("_") or each.name in seen:
            continue
        seen.add(each.name)
        head = each.name if is_property(each) else signature(each, each.name, method=not any(
            ast.unparse(mark) == "staticmethod" for mark in each.decorator_list))
        lines += ["", f"`{head}`", f": {' '.join((ast.get_docstring(each) or '-').split()).replace('*', chr(92) + '*')}"]
    return lines + [""]


def named(source: Source, name: str) -> list[str]:
    if name not in source.found:
        raise program.Problem(f"the Python package exports {name}, which its source does not define")
    return entry(source, name, source.found[name])


def entry(source: Source, name: str, node: ast.AST) -> list[str]:
    if isinstance(node, ast.ClassDef):
        return class_part(source, name, node)
    return [f"### {name}", "", *block(signature(node, name, method=False)), *words(node), ""]


def module_part(source: Source, name: str, file: str) -> list[str]:
    tree = ast.parse((source.package / file).read_text())
    lines = [f"## dperm.{name}", "", *words(tree), ""]
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_"):
            lines += entry(source, node.name, node)
    return lines


def write_page(package: pathlib.Path, page: pathlib.Path) -> None:
    source = Source(package)
    listed = {name for names in TOPICS.values() for name in names} | (set(MODULES) - ON_DEMAND) | {"__version__"}
    if listed != source.public_names():
        raise program.Problem(f"the page of the Python package must list its names, each once: {sorted(listed ^ source.public_names())}")
    lines = ["# The Python package, name by name", "", "Taken from its source when this site was built. [Python](../python.md) is the place to start.", ""]
    for topic, names in TOPICS.items():
        lines += [f"## {topic}", ""]
        if topic == "Estimators":
            lines += words(ast.parse((package / "estimators" / "linear.py").read_text())) + ["", "All of them have:"]
            lines += members([source.found[SHARED]])
        for name in names:
            lines += named(source, name)
    for name, file in MODULES.items():
        lines += module_part(source, name, file)
    page.write_text("\n".join(lines) + "\n")
