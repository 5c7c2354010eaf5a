"""Campaigns: files of experiments, what they come to, and the tables of a whole.

A campaign is a text file, one experiment a line (`grammar`, `reading`). Its runs, and a run without fault for each
prompt, model and seed (`runs`), are played in processes of their own and kept in a folder (`running`), named by the
rules that stand in `labelling`, corrected by people (`labels`), and counted (`summary`).
"""
