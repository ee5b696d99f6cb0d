/** Rows of cells in columns of one width. */
export function tableLines(rows: readonly string[][]): string[] {
  const widths = rows.reduce<number[]>(
    (all, cells) => cells.map((cell, index) => Math.max(cell.length, all[index] ?? 0)),
    [],
  );
  return rows.map((cells) =>
    cells
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
