"""`highwater`: functions made from questions and SQL, and agents that must find another way when one is refused.

After Hell or High Water (arXiv 2508.11027). The folder `data` holds the questions and databases that come with the
package (see its README).
"""
