/** One named check. It looks at the repository below `root` and says what is wrong, one line for each finding. */
export interface Check {
  readonly name: string;
  run(root: string): Promise<Findings> | Findings;
}

export interface Findings {
  /** Each names a place and what to do. Empty: the check holds. */
  readonly problems: readonly string[];
  /** Said whether it holds or not. */
  readonly notes?: readonly string[];
}
