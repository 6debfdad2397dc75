/** The manifest that `pith init` writes: valid as it is, every choice of a beginner explained. */

const STARTER = `# Pith manifest. Keys that are commented out show their defaults; docs/manifest.md explains all.

[agent]                             # system_prompt_file names a file instead
root = "."                          # the folder whose files the agent may read
system_prompt = "You are a careful software engineer. Look before you change, and check what you did."

# Without this section there is no agent to run, and the offline worker writes the summaries.
[model]
provider = "anthropic"              # openai, openai-compatible with base_url, or another AI SDK package
model = "claude-sonnet-4-5"
api_key_env = "ANTHROPIC_API_KEY"   # secrets stay in the environment

[plugins]                           # pith plugins shows what each one does
use = [
  "tracker", "prune", "compaction", "auto-read-budget", "guard",
  "file-tools", "instructions", "todo", "permissions", "shell", "recall",
]

[permissions]                       # reading runs; writing and commands ask, once or for the session
# allow = []                        # without a question: "run_command(npm test)", "edit_file(src/**)"
# ask = []                          # always with a question
deny = ["run_command(git push*)"]

[compaction]
compact_threshold = "75%"           # between turns: share of the input window, or tokens; 70% to 80% is well
compact_request_threshold = "90%"   # between requests of one turn: the safety net; 85% to 95%
# retained_tokens = 8000            # newest tokens that are carried over
# auto_read_budget = 8000           # tokens of files that the next context has already read
# never_auto_read = []              # beside .env*, keys and credentials; patterns as in .gitignore

[prune]
# protected_tokens = 8000           # newest tokens whose tool results keep their content
# min_savings = 4096                # tokens below which pruning is not worth it
`;

/** The text of a new `pith.toml`. */
export function starterManifest(): string {
  return STARTER;
}
