"""Suite `micro`: small everyday tasks on a real agent, and campaigns of faults against them."""
