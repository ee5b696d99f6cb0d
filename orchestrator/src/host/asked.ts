import { refusalOf } from './cell.ts';

/** What the store says no to, as the refusal that it is: TW-DUR-023. */
export async function asked<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw refusalOf(error);
  }
}
