import { configureGlobal } from 'fast-check';

/** A red `npm test` is red again when it is run again; `TURNWIRE_SEED=N` draws other cases. */
configureGlobal({ seed: Number(process.env.TURNWIRE_SEED ?? 1) });
