# Lexer (re2c) and grammar (lemon) of the SQL front end.
sql_GEN_C := $(GEN)/sql_lex.c $(GEN)/sql_gram.c
sql_GEN_H := $(GEN)/sql_gram.h

$(GEN)/sql_lex.c: common/sql/lex.re | $(DEPS_STAMP)
	@mkdir -p $(GEN)
	@re2c -W --no-debug-info -o $@ $<

$(GEN)/sql_gram.c $(GEN)/sql_gram.h &: common/sql/gram.y | $(DEPS_STAMP)
	@mkdir -p $(GEN)/lemon
	@lemon -q -l -d$(GEN)/lemon $<
	@mv $(GEN)/lemon/gram.h $(GEN)/sql_gram.h && mv $(GEN)/lemon/gram.c $(GEN)/sql_gram.c
