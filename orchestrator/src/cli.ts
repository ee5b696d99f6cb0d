/** `turnwire`: the entry of the command. */
import { runInProcess } from './cli/process.ts';
import { runCli } from './cli/program.ts';

await runInProcess((io) => runCli(process.argv.slice(2), io));
