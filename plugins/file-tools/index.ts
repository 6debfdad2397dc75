/** The plugin `file-tools`: reading, writing, editing, listing and searching files inside the scope of the file source. */
import { CLOCK, definePlugin, FILE_SOURCE, isWorkspace, optional } from '../../core/index';
import { TRACKER } from '../tracker/token';
import { editFileTool } from './edit-file';
import { listFilesTool } from './list-files';
import { readFileTool } from './read-file';
import { searchFilesTool } from './search-files';
import { createSeenFiles } from './seen';
import { createTurns } from './turns';
import { writeFileTool } from './write-file';

export default definePlugin({
  name: 'file-tools',
  api: 1,
  needs: { files: FILE_SOURCE, tracker: optional(TRACKER), clock: CLOCK },
  setup({ needs: { files, tracker, clock }, tools }) {
    const seen = createSeenFiles(tracker);
    const inTurn = createTurns();
    tools.add(readFileTool(files, seen, inTurn));
    // A source that can only be read, such as the tickets of a support agent, has no folders and takes no writing.
    if (!isWorkspace(files)) return;
    tools.add([
      writeFileTool(files, seen, inTurn),
      editFileTool(files, seen, inTurn),
      listFilesTool(files),
      searchFilesTool(files, clock),
    ]);
  },
});
