"""The iot domain: buildings, their devices, readings, settings, energy, air, access, repairs; vehicles and assets."""
