/** The manifest that `pith init` writes: valid as it is, every choice of a beginner explained. */

const STARTER = `# Pith manifest. Keys that are commented out show their defaults; docs/manifest.md explains all.

[plugins]
use = ["tracker", "prune", "compaction", "auto-read-budget", "guard"]

[agent]
root = "."                          # the folder whose files the agent may read
# system_prompt_file = "prompt.md"

# Without a model the offline worker writes the summaries.
# [model]
# provider = "anthropic"
# model = "claude-sonnet-4-5"
# api_key_env = "ANTHROPIC_API_KEY"  # secrets stay in the environment

[compaction]
compact_threshold = "75%"           # between turns: share of the input window, or tokens
compact_request_threshold = "90%"   # between requests of one turn: the safety net
# retained_tokens = 8000            # newest tokens that are carried over
# auto_read_budget = 8000           # tokens of files that the next context has already read
# never_auto_read = []              # beside .env*, keys and credentials; patterns as in .gitignore

[prune]
# protected_tokens = 8000           # newest tokens whose tool results keep their content
# min_savings = 4096                # tokens below which pruning is not worth it

[tracker]
# capacity = 20                     # files that are remembered
`;

/** The text of a new `pith.toml`. */
export function starterManifest(): string {
  return STARTER;
}
