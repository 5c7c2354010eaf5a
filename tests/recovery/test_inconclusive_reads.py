"""Which lists prove that something is not there: answers in the forms of known interfaces, with invented data."""

from __future__ import annotations

import time
from typing import Any

import pytest

from sealegs.recovery.inconclusive_reads import FIELDS, why_inconclusive

TWO = [{"id": "a", "next": "b", "count": 40, "status": "failed", "error": "declined"}, {"id": "b", "has_more": True}]
SPRING = {"content": TWO, "number": 0, "size": 20, "numberOfElements": 2, "first": True, "empty": False}
PAGEABLE = {"pageNumber": 0, "pageSize": 20, "offset": 0, "paged": True, "sort": {"sorted": False, "unsorted": True}}
LARAVEL = {"data": TWO, "current_page": 1, "first_page_url": "http://x?page=1", "from": 1, "path": "http://x", "to": 2}
LARAVEL_LINKS = [{"url": None, "label": "Previous", "active": False}, {"url": None, "label": "Next", "active": False}]
HITS = {"max_score": 1.0, "hits": TWO}
RATE = {"X-RateLimit-Limit": "60", "X-RateLimit-Remaining": "59", "Content-Type": "application/json"}
MONGOOSE = {"docs": TWO, "limit": 10, "page": 1, "pagingCounter": 1, "hasPrevPage": False, "prevPage": None}
GITHUB = '<https://x?page=2>; rel="next", <https://x?page=9>; rel="last"'

COMPLETE: dict[str, tuple[str, Any]] = {
    "plain list": ("", TWO),
    "list in an object": ("payments", {"payments": TWO}),
    "empty list": ("payments", {"payments": []}),
    "two lists": ("payments", {"payments": TWO, "count": 2, "tags": ["x"] * 40}),
    "Stripe": ("data", {"object": "list", "data": TWO, "has_more": False, "url": "/v1/charges"}),
    "OpenAI": ("data", {"object": "list", "data": TWO, "first_id": "a", "last_id": "b", "has_more": False}),
    "Notion": ("results", {"object": "list", "results": TWO, "next_cursor": None, "has_more": False, "type": "page"}),
    "Slack": ("items", {"ok": True, "items": TWO, "response_metadata": {"next_cursor": ""}}),
    "Dropbox": ("entries", {"entries": TWO, "cursor": "AAF", "has_more": False}),
    "Google": ("items", {"kind": "calendar#events", "etag": "e1", "items": TWO, "nextSyncToken": "CPD"}),
    "Gmail": ("messages", {"messages": TWO, "resultSizeEstimate": 2}),
    "AWS": ("Items", {"Items": TWO, "Count": 2, "ScannedCount": 90, "ResponseMetadata": {"HTTPStatusCode": 200}}),
    "S3": ("Contents", {"Contents": TWO, "IsTruncated": False, "KeyCount": 2, "MaxKeys": 1000, "Name": "b"}),
    "Django REST": ("results", {"count": 2, "next": None, "previous": None, "results": TWO}),
    "GitHub search": ("items", {"total_count": 2, "incomplete_results": False, "items": TWO}),
    "GitHub headers": ("body", {"status": 200, "headers": {**RATE, "ETag": "1"}, "body": TWO}),
    "GitLab headers": ("body", {"headers": {"X-Next-Page": "", "X-Page": "1", "X-Total-Pages": "1"}, "body": TWO}),
    "Content-Range": ("body", {"headers": {"Content-Range": "0-1/2"}, "body": TWO}),
    "GraphQL": (
        "data.payments.nodes",
        {"data": {"payments": {"nodes": TWO, "totalCount": 2, "pageInfo": {"hasNextPage": False, "endCursor": "b"}}}},
    ),
    "Jira": ("values", {"startAt": 0, "maxResults": 50, "total": 2, "isLast": True, "values": TWO}),
    "Jira search": ("issues", {"startAt": 0, "maxResults": 2, "total": 2, "issues": TWO}),
    "Spring": (
        "content",
        {**SPRING, "pageable": PAGEABLE, "totalElements": 2, "totalPages": 1, "last": True},
    ),
    "Spring HAL": (
        "_embedded.payments",
        {
            "_embedded": {"payments": TWO},
            "_links": {"self": {"href": "http://x"}},
            "page": {"size": 20, "totalElements": 2, "totalPages": 1, "number": 0},
        },
    ),
    "Laravel": (
        "data",
        {**LARAVEL, "last_page": 1, "links": LARAVEL_LINKS, "next_page_url": None, "per_page": 15, "total": 2},
    ),
    "Kubernetes": ("items", {"kind": "PodList", "metadata": {"continue": "", "resourceVersion": "81"}, "items": TWO}),
    "X": ("data", {"data": TWO, "meta": {"result_count": 2, "newest_id": "b", "oldest_id": "a"}}),
    "Elasticsearch": (
        "hits.hits",
        {
            "took": 5,
            "timed_out": False,
            "_shards": {"total": 5, "successful": 5, "skipped": 0, "failed": 0},
            "hits": {"total": {"value": 2, "relation": "eq"}, **HITS},
        },
    ),
    "Solr": (
        "response.docs",
        {"responseHeader": {"status": 0, "QTime": 7}, "response": {"numFound": 2, "start": 0, "docs": TWO}},
    ),
    "Algolia": ("hits", {"hits": TWO, "nbHits": 2, "page": 0, "nbPages": 1, "hitsPerPage": 20, "exhaustive": True}),
    "Salesforce": ("records", {"totalSize": 2, "done": True, "records": TWO}),
    "OData": ("value", {"@odata.context": "$metadata#payments", "@odata.count": 2, "value": TWO}),
    "SCIM": ("Resources", {"totalResults": 2, "startIndex": 1, "itemsPerPage": 2, "Resources": TWO}),
    "FHIR": ("entry", {"type": "searchset", "total": 2, "link": [{"relation": "self", "url": "x"}], "entry": TWO}),
    "HAL": ("_embedded.payments", {"_embedded": {"payments": TWO}, "_links": {"self": {"href": "x"}}, "total": 2}),
    "mongoose-paginate": (
        "docs",
        {**MONGOOSE, "totalDocs": 2, "totalPages": 1, "hasNextPage": False, "nextPage": None},
    ),
    "JSend": ("data.payments", {"status": "success", "data": {"payments": TWO}}),
    "WeChat": ("list", {"errcode": 0, "errmsg": "ok", "total_count": 2, "list": TWO}),
    "Bitbucket": ("values", {"pagelen": 10, "values": TWO, "page": 1, "size": 2}),
    "Reddit": (
        "data.children",
        {"kind": "Listing", "data": {"after": None, "dist": 2, "children": TWO, "before": None}},
    ),
    "MCP": ("structuredContent.payments", {"structuredContent": {"payments": TWO}, "content": [{}], "isError": False}),
    "amounts": ("payments", {"payments": TWO, "total_amount": 150, "previous_balance": 20, "next_payment_date": "May"}),
}

INCOMPLETE: dict[str, tuple[str, Any]] = {
    "Stripe": ("data", {"object": "list", "data": TWO, "has_more": True, "url": "/v1/charges"}),
    "Slack": ("items", {"ok": True, "items": TWO, "response_metadata": {"next_cursor": "dXNl"}}),
    "Slack, failed": ("items", {"ok": False, "items": []}),
    "Google": ("items", {"kind": "calendar#events", "items": TWO, "nextPageToken": "abc"}),
    "Gmail": ("messages", {"messages": TWO, "resultSizeEstimate": 201}),
    "Google Maps": ("results", {"status": "OVER_QUERY_LIMIT", "results": []}),
    "DynamoDB": ("Items", {"Items": TWO, "Count": 2, "LastEvaluatedKey": {"id": {"S": "b"}}}),
    "S3": ("Contents", {"Contents": TWO, "IsTruncated": True, "KeyCount": 2, "MaxKeys": 2}),
    "AWS": ("logs", {"logs": TWO, "NextToken": "abc"}),
    "Cognito": ("Users", {"Users": TWO, "PaginationToken": "abc"}),
    "Azure": ("value", {"value": TWO, "nextLink": "https://x?skip=2"}),
    "OData": ("value", {"@odata.nextLink": "https://x?$skip=2", "value": TWO}),
    "OData, count": ("value", {"@odata.count": 40, "value": TWO}),
    "Django REST": ("results", {"count": 40, "results": TWO}),
    "GitHub search": ("items", {"total_count": 2, "incomplete_results": True, "items": TWO}),
    "GitHub headers": ("body", {"status": 200, "headers": {**RATE, "Link": GITHUB}, "body": TWO}),
    "GitLab headers": ("body", {"headers": {"X-Next-Page": "2", "X-Page": "1"}, "body": TWO}),
    "Content-Range": ("body", {"headers": {"Content-Range": "0-1/40"}, "body": TWO}),
    "partial content": ("body", {"status_code": 206, "body": TWO}),
    "failed request": ("body", {"statusCode": 503, "body": []}),
    "GraphQL": ("data.payments.nodes", {"data": {"payments": {"nodes": TWO, "pageInfo": {"hasNextPage": True}}}}),
    "GraphQL, errors": ("data.payments", {"data": {"payments": []}, "errors": [{"message": "x"}]}),
    "Jira": ("values", {"startAt": 0, "maxResults": 2, "isLast": False, "values": TWO}),
    "Jira, later": ("issues", {"startAt": 50, "maxResults": 50, "total": 2, "issues": TWO}),
    "Spring": ("content", {**SPRING, "pageable": PAGEABLE, "totalElements": 40, "totalPages": 2, "last": False}),
    "Spring slice": ("content", {**SPRING, "last": False}),
    "Laravel": ("data", {**LARAVEL, "next_page_url": "http://x?page=2", "per_page": 2}),
    "Laravel, page 2": ("data", {**LARAVEL, "current_page": 2, "last_page": 2, "next_page_url": None}),
    "Kubernetes": ("items", {"metadata": {"continue": "eyJ2", "remainingItemCount": 3}, "items": TWO}),
    "X": ("data", {"data": TWO, "meta": {"next_token": "7140", "result_count": 2}}),
    "HubSpot": ("results", {"results": TWO, "paging": {"next": {"after": "3", "link": "x"}}}),
    "Elasticsearch": ("hits.hits", {"timed_out": False, "hits": {"total": {"value": 40}, **HITS}}),
    "Elasticsearch, late": ("hits.hits", {"timed_out": True, "hits": {"total": {"value": 2}, **HITS}}),
    "Elasticsearch, shards": ("hits.hits", {"_shards": {"total": 5, "failed": 2}, "hits": HITS}),
    "several searches": ("responses.0.hits.hits", {"responses": [{"timed_out": True, "hits": HITS}]}),
    "Solr": ("response.docs", {"responseHeader": {"partialResults": True}, "response": {"numFound": 2, "docs": TWO}}),
    "Algolia": ("hits", {"hits": TWO, "page": 0, "nbPages": 20, "hitsPerPage": 2}),
    "Salesforce": ("records", {"totalSize": 4000, "done": False, "nextRecordsUrl": "/q/01g", "records": TWO}),
    "BigQuery": ("rows", {"jobComplete": False, "rows": []}),
    "Airtable": ("records", {"records": TWO, "offset": "itr1/rec2"}),
    "FHIR": ("entry", {"link": [{"relation": "self", "url": "x"}, {"relation": "next", "url": "y"}], "entry": TWO}),
    "Facebook": ("data", {"data": TWO, "paging": {"cursors": {"before": "MA", "after": "MQ"}, "next": "https://x"}}),
    "Reddit": ("data.children", {"data": {"after": "t3_b", "children": TWO, "before": None}}),
    "Twitch": ("data", {"data": TWO, "pagination": {"cursor": "eyJi"}}),
    "GBIF": ("results", {"offset": 0, "limit": 2, "endOfRecords": False, "results": TWO}),
    "JSend": ("data.payments", {"status": "error", "message": "replica down", "data": {"payments": []}}),
    "as many as the limit": ("payments", {"payments": TWO, "offset": 0, "limit": 2}),
    "first page": ("payments", {"payments": TWO, "page": 1}),
    "page 1 of 3": ("payments", {"payments": TWO, "page": {"current": 1, "total": 3}}),
    "two lists": ("payments", {"payments": TWO, "count": 40, "tags": ["x"] * 40}),
    "flag as text": ("payments", {"payments": TWO, "is_truncated": "true"}),
    "joined name": ("payments", {"payments": TWO, "hasmoreresults": 1}),
    "unknown word": ("payments", {"payments": TWO, "nextbatch": "x"}),
    "still at work": ("payments", {"payments": [], "state": "RUNNING"}),
    "warning": ("payments", {"payments": TWO, "warnings": ["shard 2 is down"]}),
    "note": ("payments", {"payments": TWO, "note": "Results were truncated."}),
    "showing": ("payments", {"payments": TWO, "message": "Showing 2 of 40 results"}),
}


@pytest.mark.parametrize("name", COMPLETE)
def test_a_complete_list_proves_that_something_is_not_there(name: str) -> None:
    path, answer = COMPLETE[name]
    assert why_inconclusive(answer, path) == ""


@pytest.mark.parametrize("name", INCOMPLETE)
def test_an_incomplete_list_or_an_error_proves_nothing(name: str) -> None:
    path, answer = INCOMPLETE[name]
    assert why_inconclusive(answer, path).startswith("it ")


@pytest.mark.parametrize(
    "name", ["has_more", "hasMore", "HasMore", "HAS_MORE", "has-more", "x.has.more", "@odata.hasMore"]
)
def test_a_name_counts_in_any_spelling(name: str) -> None:
    assert why_inconclusive({"payments": [], "meta": {"deep": {name: True}}}, "payments")
    assert not why_inconclusive({"payments": [], "meta": {"deep": {name: False}}}, "payments")


@pytest.mark.parametrize("value", [None, "", False, 0, "0", "false", "None", [], {}, {"href": None}], ids=repr)
def test_an_empty_mark_of_a_next_page_says_that_there_is_none(value: Any) -> None:
    assert not why_inconclusive({"payments": TWO, "next": value, "limit": 2}, "payments")


def test_an_answer_that_lists_nothing_is_searched_as_well() -> None:
    assert not why_inconclusive({"id": "a", "status": "booked"})
    assert why_inconclusive({"id": "a", "errors": ["replica down"]})
    assert why_inconclusive({"payments": TWO, "total": 3})
    assert not why_inconclusive(TWO)
    assert not why_inconclusive("none")


def test_a_huge_or_cyclic_answer_is_searched_in_bounded_time_and_proves_nothing_unless_searched_whole() -> None:
    cycle: dict[str, Any] = {"payments": []}
    cycle["meta"] = cycle
    assert not why_inconclusive(cycle, "payments")
    deep: dict[str, Any] = {}
    for _ in range(FIELDS + 1):
        deep = {"meta": deep}
    started = time.perf_counter()
    assert why_inconclusive({"payments": [], "meta": deep}, "payments")
    assert why_inconclusive({"payments": [], **{f"total{n}": "/1" * 5000 + "!" for n in range(2 * FIELDS)}}, "payments")
    assert why_inconclusive({"payments": [], **{f"n{n}": 0 for n in range(2 * FIELDS)}}, "payments")
    assert time.perf_counter() - started < 20
