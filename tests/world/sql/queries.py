"""Random queries over the toy database, as a user of SQLite might write them."""

from hypothesis import strategies as st

COLUMNS = {
    "student": {"id": "number", "name": "text", "age": "number", "gpa": "number", "city": "text", "born": "text"},
    "course": {"id": "number", "title": "text", "credits": "number", '"Odd Name"': "text", "food": "text"},
    "takes": {"student_id": "number", "course_id": "number", "grade": "text", "year": "number"},
    "badge": {"code": "text", "level": "number", "owner": "text"},
}
WORDS = [
    "Ann",
    "D'Arc",
    "Oslo",
    "A",
    "odd",
    "50% Proof",
    "Åse",
    "2001-01-31",
    "three",
    "food",
    "city",
    "%e",
    "",
    "1",
    "02",
]
NUMBERS = ["0", "1", "2", "20", "21", "-1", "3.5", "0.1", "10", "2020", "1e1", "-2.25"]


def quoted(word: str) -> str:
    return "'" + word.replace("'", "''") + "'"


@st.composite
def literals(draw: st.DrawFn, kind: str) -> str:
    if kind == "number" and draw(st.integers(0, 5)):
        return draw(st.sampled_from(NUMBERS))
    word = draw(st.sampled_from(WORDS))
    return '"' + word + '"' if word and draw(st.integers(0, 3)) == 0 else quoted(word)


@st.composite
def conditions(draw: st.DrawFn, table: str, depth: int) -> str:
    if draw(st.integers(0, 4)) == 0:
        left, right = draw(conditions(table, depth)), draw(conditions(table, depth))
        return f"({left} {draw(st.sampled_from(['AND', 'OR']))} {right})"
    column = draw(st.sampled_from(list(COLUMNS[table])))
    kind = COLUMNS[table][column]
    form = draw(st.integers(0, 9 if depth else 5))
    no = draw(st.sampled_from(["", "NOT "]))
    if form == 0:
        return f"{column} {no}IN ({', '.join(draw(st.lists(literals(kind), min_size=1, max_size=3)))})"
    if form == 1:
        return f"{column} {no}BETWEEN {draw(literals(kind))} AND {draw(literals(kind))}"
    if form == 2:
        pattern = draw(st.sampled_from(["A%", "%o%", "%e", "_o", "%", "50\\%%"]))
        return f"{column} {no}LIKE '{pattern}'"
    if form == 3:
        return f"{draw(literals(kind))} {draw(st.sampled_from(['=', '<', '>=', '!=']))} {column}"
    if form in (6, 7):
        return f"{column} {no}IN ({draw(singles(kind, depth - 1))})"
    if form == 8:
        aggregate = draw(st.sampled_from(["min", "max", "count", "avg"]))
        return f"{column} {draw(st.sampled_from(['=', '<', '>']))} ({draw(singles(kind, depth - 1, aggregate))})"
    if form == 9:
        return f"{no}EXISTS ({draw(singles(kind, depth - 1))})"
    return f"{column} {draw(st.sampled_from(['=', '<', '>', '<=', '<>', '==']))} {draw(literals(kind))}"


@st.composite
def singles(draw: st.DrawFn, kind: str, depth: int, aggregate: str = "") -> str:
    """A subquery of one column."""
    table = draw(st.sampled_from(list(COLUMNS)))
    fitting = [name for name, found in COLUMNS[table].items() if found == kind]
    column = draw(st.sampled_from(fitting))
    where = f" WHERE {draw(conditions(table, depth))}" if draw(st.booleans()) else ""
    return f"SELECT {f'{aggregate}({column})' if aggregate else column} FROM {table}{where}"


@st.composite
def queries(draw: st.DrawFn) -> str:
    form = draw(st.integers(0, 5))
    table = draw(st.sampled_from(list(COLUMNS)))
    column, other = (draw(st.sampled_from(list(COLUMNS[table]))) for _ in range(2))
    where = f" WHERE {draw(conditions(table, 2))}" if draw(st.integers(0, 4)) else ""
    if form == 0:
        having = f" HAVING count(*) {draw(st.sampled_from(['>', '<=']))} {draw(st.sampled_from(['0', '1', '2']))}"
        return f"SELECT {column}, count(*) AS n FROM {table}{where} GROUP BY {column}{having} ORDER BY n, 1"
    if form == 1:
        between = draw(st.sampled_from(["UNION", "UNION ALL", "INTERSECT", "EXCEPT"]))
        return f"SELECT {column} FROM {table}{where} {between} SELECT {other} FROM {table}"
    if form == 2:
        return f"SELECT max(x), count(*) FROM (SELECT {column} AS x, {other} AS y FROM {table}{where}) AS t"
    if form == 3:
        condition = draw(conditions("takes", 1))
        return (
            "SELECT T1.name, T2.grade FROM student AS T1 JOIN takes AS T2 ON T1.id = T2.student_id "
            f"WHERE T2.course_id IN (SELECT course_id FROM takes WHERE {condition}) ORDER BY T1.name, T2.course_id"
        )
    limit = draw(st.sampled_from(["", f" ORDER BY {column} DESC, {other}", f" ORDER BY {column}, {other} LIMIT 2"]))
    return f"SELECT DISTINCT {column}, {other} FROM {table}{where}{limit}"
