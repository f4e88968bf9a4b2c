/** What a start asks for, in about this order. */
export enum StartStep {
  CleanUp,
  Mount,
  MakeVolume,
  Populate,
  MakeNetwork,
  Join,
  Launch,
}
