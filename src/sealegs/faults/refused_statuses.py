"""The HTTP statuses by which a server refuses a request before it does any work: RFC 9110, RFC 6585.

They prove something only of a server's own answer: a tool's exception may carry the status of an inner request. What is
not among them: a 5xx other than 501, 505 and 511, which may come after the work.
"""

REFUSED_STATUSES = frozenset(
    {400, 401, 402, 403, 404, 405, 406, 407, 409, 410, 411, 412, 413, 414, 415, 416, 417, 421, 422, 423, 425, 426, 428}
    | {429, 431, 451, 501, 505, 511}
)
