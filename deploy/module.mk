# Nothing here is compiled: units, accounts, sample settings, installers.
