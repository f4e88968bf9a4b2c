/** The steps of a start, roughly in order. */
export enum StartStep {
  CleanUp,
  Mount,
  MakeVolume,
  Populate,
  Join,
  Name,
  Launch,
}
