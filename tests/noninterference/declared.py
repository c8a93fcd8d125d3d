# SPDX-License-Identifier: Apache-2.0
"""The fields of docs/released_fields.toml, and an observed text or file without them."""

import json
import pathlib
import re
import sqlite3
import tempfile
import tomllib

PATH = pathlib.Path(__file__).resolve().parents[2] / "docs" / "released_fields.toml"
FIELDS = tomllib.loads(PATH.read_text())
DECLARED = b"(declared)"


class Fields:
    """Of one kind: `released` for two neighbours, `clock` for two speeds of the clock."""

    def __init__(self, kind: str):
        rows = FIELDS[kind]
        listed = lambda key: [each for row in rows for each in row.get(key, ())]  # noqa: E731
        compiled = lambda key: [re.compile(each.encode(), re.M | re.S) for each in listed(key)]  # noqa: E731
        self.paths = [path.replace("[*]", ".*").split(".") for path in listed("json")]
        self.texts, self.pages = compiled("text"), compiled("page")
        self.columns = set(listed("ledger"))


KINDS = {kind: Fields(kind) for kind in ("released", "clock")}
RECORDS = [re.compile(each) for row in FIELDS["records"] for each in row["files"]]


def _masked(value, fields: Fields, begun: list[list[str]]):
    """A JSON value without what lies at declared paths, which may begin at any depth, and without declared parts of texts."""
    if any(not path for path in begun):
        return "(declared)"
    if isinstance(value, str) and _is_json(value):  # a ledger's entries are JSON within JSON
        return _masked(json.loads(value), fields, begun)
    if isinstance(value, str):
        return text_without(value.encode("utf-8", "surrogatepass"), fields.texts + fields.pages).decode("utf-8", "surrogatepass")
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    made = {}
    for key, each in items:
        further = [path[1:] for path in begun + fields.paths if path[0] == key or path[0] == "*" and isinstance(value, list)]
        made[key] = _masked(each, fields, further)
    return made if isinstance(value, dict) else list(made.values()) if isinstance(value, list) else value


def json_without(text: bytes, fields: Fields) -> bytes:
    return json.dumps(_masked(json.loads(text), fields, []), indent=1).encode()


EVENTS, EVENT_KEYS, EVENT_METRICS = (
    {each for row in FIELDS["spark"] for each in row.get(key, ())} for key in ("events", "keys", "metrics")
)


def event_log_without(log: str) -> bytes:
    """Spark's event log without what is declared, sorted: the order of events is that of threads."""
    lines = [json.loads(re.sub(r"#\d+L?", "#", line)) for line in log.splitlines() if line.startswith("{")]
    kept = [_event_without(event) for event in lines if event["Event"].rpartition(".")[2] not in EVENTS]
    return "\n".join(sorted(json.dumps(event, sort_keys=True) for event in kept)).encode()


def _event_without(event):
    if isinstance(event, list):
        kept = [_event_without(each) for each in event if not isinstance(each, dict) or each.get("Name") not in EVENT_METRICS]
        return sorted(kept, key=lambda each: json.dumps(each, sort_keys=True))
    if not isinstance(event, dict):
        return event
    return {key: _event_without(each) for key, each in event.items() if key not in EVENT_KEYS}


def _is_json(text: bytes | str) -> bool:
    try:
        return isinstance(json.loads(text), (dict, list))
    except ValueError:
        return False


def text_without(text: bytes, patterns) -> bytes:
    """Groups of a pattern are declared, or all of it where it has none."""
    for pattern in patterns:
        text = pattern.sub(_hidden, text)
    # What may be absent at the end of a text matches there twice where it is present: once as itself, once as nothing.
    return text.replace(2 * DECLARED, DECLARED)


def _hidden(match: re.Match[bytes]) -> bytes:
    if not match.re.groups:
        return DECLARED
    whole, start = match.group(), match.start()
    for group in range(match.re.groups, 0, -1):
        if match.group(group) is not None:
            whole = whole[: match.start(group) - start] + DECLARED + whole[match.end(group) - start :]
    return whole


def ledger_dump(database: bytes) -> dict[str, list[dict]]:
    """Every table of a ledger, row by row."""
    with tempfile.NamedTemporaryFile(suffix=".db") as file:
        file.write(database)
        file.flush()
        connection = sqlite3.connect(file.name)
        connection.row_factory = sqlite3.Row
        names = [row[0] for row in connection.execute("select name from sqlite_master where type = 'table' order by name")]
        made = {name: [dict(row) for row in connection.execute(f"select * from {name}")] for name in names}
        connection.close()
    return made


def ledger_without(database: bytes, kind: str) -> bytes:
    lines = []
    for table, rows in ledger_dump(database).items():
        for row in rows:
            cells = {name: _cell(f"{table}.{name}", value, kind) for name, value in row.items()}
            lines.append(f"{table} {cells}")
    return "\n".join(lines).encode()


def _cell(name: str, value, kind: str):
    if name in KINDS[kind].columns:
        return "(declared)"
    return without(f"cell {name}", value if isinstance(value, bytes) else str(value).encode(), kind)


def holds_records(name: str) -> bool:
    """Whether what was observed under `name` is a file of records, whose content is not compared."""
    return name.startswith("file ") and any(each.search(name) for each in RECORDS)


def without(name: str, content: bytes, kind: str) -> bytes:
    """What was observed under `name` without the declared fields of this kind."""
    fields, is_file = KINDS[kind], name.startswith("file ")
    if is_file and name.endswith(".db"):
        return ledger_without(content, kind)
    if is_file and name.endswith(".html"):
        return text_without(content, fields.pages + fields.texts)
    if _is_json(content):
        return json_without(content, fields)
    return text_without(content, fields.texts)


# --- the page ---

PAGE = PATH.parent / "privacy_model.md"
BEGIN, END = "<!-- from released_fields.toml -->\n", "<!-- end of released_fields.toml -->\n"


def page_part() -> str:
    """What docs/privacy_model.md says about declared fields."""
    parts = []
    for heading, kind, first, second in (
        ("Between two tables that differ in one row, these differ and nothing else:", "released", "name", "what"),
        ("Between two runs that take different times:", "clock", "name", "what"),
        ("Files of records, whose names, rights and sizes are compared and nothing else:", "records", "name", "what"),
        ("In Spark's own event log:", "spark", "name", "what"),
        ("Not compared at all, because they look at records without protection:", "exempt", "what", "why"),
    ):
        rows = "".join(f"| {row[first]} | {row[second]} |\n" for row in FIELDS[kind])
        parts.append(f"{heading}\n\n| what | which |\n| --- | --- |\n{rows}\n")
    return BEGIN + "".join(parts) + END


def page_with_part(page: str) -> str:
    return page[: page.index(BEGIN)] + page_part() + page[page.index(END) + len(END) :]


if __name__ == "__main__":  # after a change of the file: writes its part of the page anew
    PAGE.write_text(page_with_part(PAGE.read_text()))
