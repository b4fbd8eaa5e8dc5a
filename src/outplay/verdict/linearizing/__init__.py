"""Histories of concurrent calls judged: is there an order of the calls that explains all answers?"""
