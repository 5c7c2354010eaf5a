"""Tasks and traces in the published file format of ToolMaze (arXiv 2606.05806): read, written and judged.

A published task says by examples (its valid paths, each step with arguments and expected output) what ours says by a
graph. `path_graph` reads the graph back from the paths; `toolmaze_import` makes a task of ours and tools answered from
the records of it; `toolmaze_export` goes the other way; `trace_judge` gives both judges' verdicts on published traces.
"""
