"""Campaigns: files of experiments, what they come to, and the tables of a whole.

A campaign is a text file, one experiment a line (`grammar`, `reading`). Its runs, and a run without fault for each
prompt, model and seed (`runs`), are each played in a separate process and kept in a folder (`running`), labelled by the
rules in `labelling`, corrected by people (`labels`), and counted (`summary`).
"""
