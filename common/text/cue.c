/* Names of cue kinds, as the data files and logs spell them. */
#include "common/text/cue.h"

const char *cue_kind_name(enum cue_kind k)
{
	static const char *const names[] = {
#define X(sym, name) name,
	    CUE_KINDS(X)
#undef X
	};
	return (unsigned)k < CUE_KIND_COUNT ? names[k] : "none";
}
