"""Reports of runs: tables for a terminal, one HTML page for people, and the published figures shown beside them.

The room reads verdicts and rows and decides nothing about them. The page needs the extra `report`; tables do not.
"""
