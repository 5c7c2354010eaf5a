"""Campaigns: files of experiments, their runs, and the tables of a whole.

A campaign is a text file, one experiment a line (`campaign_grammar`, `campaign_parser`). Its runs, and a run without
fault for each prompt, model and seed (`runs`), are each played in a separate process and kept in a folder
(`campaign_runner`), labelled by the rules in `labelling`, corrected by people (`run_labels`), and counted
(`campaign_results`).
"""
