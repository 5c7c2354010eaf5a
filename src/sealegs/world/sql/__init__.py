"""Functions made from SQL: built from question/SQL pairs with SQLGlot, called without it on read-only databases."""
