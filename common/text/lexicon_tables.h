/* The compiled data files (common/text/data): rows sorted by key in byte order.
 * Only common/text reads them; others ask lexicon.h. */
#ifndef NLQ_TEXT_LEXICON_TABLES_H
#define NLQ_TEXT_LEXICON_TABLES_H

#include "common/text/lexicon.h"

extern const struct lexicon_table lexicon_table_cues, lexicon_table_attributes,
    lexicon_table_columns, lexicon_table_irregular, lexicon_table_abbreviations,
    lexicon_table_synonyms, lexicon_table_units, lexicon_table_unit_powers, lexicon_table_demonyms,
    lexicon_table_stop, lexicon_table_generic, lexicon_table_verbs, lexicon_table_glossary,
    lexicon_table_classifiers, lexicon_table_time_verbs, lexicon_table_measure_words,
    lexicon_table_row_verbs;

#endif
