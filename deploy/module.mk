# Nothing here is compiled: units, accounts, sample settings; the demo data.
include deploy/demo/module.mk
