/** What a person sees while the checks run: a live line per theme on a terminal, a line per finished theme elsewhere. */
import type { Check, CheckResult } from './check.ts';
import { failureLines } from './lines.ts';

interface Theme {
  readonly name: string;
  readonly all: number;
  done: number;
  failed: number;
  untested: number;
  readonly startedAt: number;
}

export interface Screen {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

export class Progress {
  readonly #themes = new Map<string, Theme>();
  #drawn = 0;

  constructor(
    readonly screen: Screen,
    readonly withTrace: boolean,
  ) {}

  planned(checks: readonly Check[]): void {
    const startedAt = performance.now();
    for (const { theme: name } of checks) {
      const { all = 0 } = this.#themes.get(name) ?? {};
      this.#themes.set(name, { name, all: all + 1, done: 0, failed: 0, untested: 0, startedAt });
    }
    this.#draw();
  }

  result(result: CheckResult): void {
    const theme = this.#themes.get(result.theme);
    if (theme) theme.done += 1;
    const quiet = result.verdict === 'passed' || result.verdict === 'skipped';
    if (theme && result.verdict === 'not_tested') theme.untested += 1;
    else if (theme && !quiet) theme.failed += 1;
    if (!quiet) this.#say(failureLines(result, this.withTrace));
    if (this.screen.isTTY) this.#draw();
    else if (theme && theme.done === theme.all) this.#say([this.#line(theme)]);
  }

  /** Leaves what was drawn as it is. */
  end(): void {
    this.#drawn = 0;
  }

  #line({ name, all, done, failed, untested, startedAt }: Theme): string {
    const mark = failed + untested > 0 ? 'not ok' : done === all ? 'ok' : '…';
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    const wrong = `${failed > 0 ? `, ${failed} wrong` : ''}${untested > 0 ? `, ${untested} not tested` : ''}`;
    return `${mark.padEnd(6)}  ${name.padEnd(14)} ${`${done}`.padStart(`${all}`.length)}/${all}${wrong}${
      done === all ? `  ${seconds} s` : ''
    }`;
  }

  /** Above what is drawn. */
  #say(lines: readonly string[]): void {
    this.#wipe();
    this.screen.write(lines.map((line) => `${line}\n`).join(''));
    this.#draw();
  }

  #wipe(): void {
    if (this.#drawn > 0) this.screen.write(`\u001b[${this.#drawn}A\u001b[J`);
    this.#drawn = 0;
  }

  #draw(): void {
    if (!this.screen.isTTY) return;
    this.#wipe();
    const lines = [...this.#themes.values()].map((theme) => this.#line(theme));
    this.screen.write(lines.map((line) => `${line}\n`).join(''));
    this.#drawn = lines.length;
  }
}
