"""Travel: flights, trains, hotels, cars, papers and what a trip costs."""
