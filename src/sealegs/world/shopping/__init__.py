"""Shopping: products, prices, delivery, customs, orders, returns, collection, rewards, suppliers, warranties."""
