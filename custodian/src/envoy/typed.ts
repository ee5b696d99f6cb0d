/** A message of Envoy's API with the name of its type, as its `typed_config` fields want it. */
export const typed = (type: string, message: object): object => ({
  '@type': `type.googleapis.com/${type}`,
  ...message,
});

/** Milliseconds in the JSON form of a protobuf duration. */
export const duration = (ms: number): string => `${ms / 1000}s`;
