"""The exemplar bank: what helped with failures that looked like this one."""

from sealegs.recovery.bank.exemplar import BankFile, Exemplar, bank_schema, read_bank_file, shipped_exemplars
from sealegs.recovery.bank.index import FLOOR, Bank, Match, SimilarityIndex, read_bank, shipped_bank

__all__ = [
    "FLOOR",
    "Bank",
    "BankFile",
    "Exemplar",
    "Match",
    "SimilarityIndex",
    "bank_schema",
    "read_bank",
    "read_bank_file",
    "shipped_bank",
    "shipped_exemplars",
]
