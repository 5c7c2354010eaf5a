"""`highwater`: functions made from questions and SQL, and agents that must find another way when one is refused.

After Hell or High Water (arXiv 2508.11027). The folder `data` holds the questions and databases that come with the
package (see its README). A problem is played in one of three settings: `open`, where functions are searched for among
all of them; `closed`, where those of its solutions stand in the prompt among distractors; `distractors`, where only the
distractors do, and giving up is right. With errors on, the first function of a solution that the agent calls is refused
for the whole episode.
"""

SETTINGS = ("open", "closed", "distractors")
ERRORS = ("off", "on")
SPLITS = ("test", "validation", "all")
DISTRACTORS = (0, 3, 9, 27, 81)
INTERFACES = ("auto", "code", "calls")
