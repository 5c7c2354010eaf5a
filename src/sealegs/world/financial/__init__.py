"""Financial: accounts, payments, cards, budgets, purchases, invoices, tax, wages, loans, securities, prices."""
