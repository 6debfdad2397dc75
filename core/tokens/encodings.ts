/** Which encoding counts the text of a model (S6.1). */

import { modelName } from './model-name';

/** The encodings that are shipped. */
export type EncodingName = 'o200k_base' | 'cl100k_base';

/** Models of OpenAI before `gpt-4o`; every other model, known or not, is counted with `o200k_base`. */
const CL100K = /^(gpt-3\.5|gpt-35|gpt-4(?!o|\.1|\.5)|text-embedding-|cl100k_base$)/;

/**
 * The encoding of a model, by its name with or without a provider in front (`openai/gpt-4`). The name of an encoding stands
 * for itself. Exact for OpenAI; what other providers count differently is calibrated from their usage (S6.3).
 */
export function encodingOf(model: string | undefined): EncodingName {
  return model !== undefined && CL100K.test(modelName(model)) ? 'cl100k_base' : 'o200k_base';
}
