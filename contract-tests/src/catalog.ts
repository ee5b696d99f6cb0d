/** Every check that there is, of every mode, without a subject. */
import { clientCatalog } from './client/catalog.ts';
import { custodianCatalog } from './custodian/catalog.ts';
import { harnessCatalog } from './harness/catalog.ts';
import { orchestratorCatalog } from './orchestrator/catalog.ts';
import type { Check } from './report/check.ts';

export interface CatalogEntry extends Check {
  /** Capabilities that the subject must declare; `process`: the kit has to start and end it itself. */
  readonly needs: readonly string[];
  /** `document operation status` of each answer that it expects; `*` stands for any characters. */
  readonly reaches: readonly string[];
}

/** What one mode holds its subjects to. */
export interface ModeCatalog {
  readonly mode: string;
  /** Requirements that are looked at in each of its checks, whatever that is about. */
  readonly everyCheck: readonly string[];
  checks(): readonly CatalogEntry[];
}

export const catalogs: readonly ModeCatalog[] = [harnessCatalog, orchestratorCatalog, custodianCatalog, clientCatalog];
