# The lexicon's data files become one file of constant tables.
text_DATA := $(wildcard common/text/data/*.txt) $(addprefix common/text/data/,cues.en cues.zh glossary.zh)
text_GEN_C := $(GEN)/lexicon_data.c

$(GEN)/lexicon_data.c: common/text/data/gen.sh $(text_DATA)
	@mkdir -p $(@D)
	@common/text/data/gen.sh $@ common/text/data
