"""A function run on many requests, each in a fresh process of its own: what one run does, no other run sees.

    for end in run_all("my_agent:run", [Request("a", {"city": "Oslo"})], preload=["langchain.agents"], jobs=2):
        print(end.id, end.how, end.result)

Four processes are involved. The *launcher* is the caller's own (`launcher`). It starts a *zygote* (`zygote`): a
clean interpreter that imports what every run needs and then only forks. For each request the zygote forks a
*supervisor* (`supervisor`), which watches one run, collects what it leaves behind and ends it; it forks the *runner*
(`runner`), which calls the function. Where a fork would not be safe the supervisor starts a new interpreter instead.

It knows nothing of what is run. It separates processes, not machines: files under fixed paths, servers and the network
are shared, and malicious code is not held back.
"""

from sealegs.suites.micro.isolation.launcher import run_all
from sealegs.suites.micro.isolation.request import RunEnd, RunLimits, RunRequest

__all__ = ["RunEnd", "RunLimits", "RunRequest", "run_all"]
