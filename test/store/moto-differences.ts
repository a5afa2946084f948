// Where moto is known to be more lenient than Parameter Store: the contract's test → what moto 5.2 does instead.

export const MOTO_DIFFERENCES: Readonly<Record<string, string>> = {
  "gives a page's token to the same question only": "a token is a number and good for any question",
  "refuses an invalid path": "it lists nothing",
  "refuses two opening braces": "it takes them",
  "refuses two closing braces": "it takes them",
  "refuses more than 4096 bytes on the Standard tier": "values have no limit",
  "refuses more than 8192 bytes on the Advanced tier": "values have no limit",
  "keeps a parameter on the Advanced tier when a write asks for less": "it moves down",
  "takes the tier that a value needs when it is to choose": "it keeps Intelligent-Tiering as a tier",
  "refuses a name with a space": "it takes it",
  "refuses a name with a colon": "it takes it",
  "refuses a name with an empty level": "it takes it",
  "refuses a path that does not begin with a slash": "it takes it",
  "refuses more than fifteen levels": "levels have no limit",
  "refuses a name of more than 1011 characters with its ARN": "names have no limit",
  "takes ten names and refuses eleven when it deletes": "it deletes eleven",
  "refuses the same name twice": "it reads it once",
  "says by which selector it found one of several": "it does not say so",
  "refuses another type for a parameter that is there": "it changes the type",
  "refuses a tier that does not exist": "it keeps any word as a tier",
};
