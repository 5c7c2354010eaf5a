"""General: cities, weather, daylight, dates and times, figures and units, and what the user keeps and shares."""
