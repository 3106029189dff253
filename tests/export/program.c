#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include "fit.h"
#include "plain.h"

enum { THREADS = 4, CALLS = 100 };
static const double X[] = {0.5, -1.0, 2.0};

static void *work(void *sum) {
  plain_array sorted = {0};
  for (int k = 0; k < CALLS; k++) {
    double value = 0;
    if (plain(X, X, 1 + k % 3, &value, &sorted) || sorted.shape[0] != 1 + k % 3) return 0;
    *(double *)sum += value;
  }
  plain_free(&sorted);
  return sum;
}

int main(void) {
  pthread_t threads[THREADS];
  double sums[THREADS] = {0}, total = 0;
  for (int k = 0; k < THREADS; k++) pthread_create(&threads[k], 0, work, &sums[k]);
  for (int k = 0; k < THREADS; k++) {
    void *done = 0;
    pthread_join(threads[k], &done);
    if (!done) return 1;
    total += sums[k];
  }
  printf("%.17g", total);
  fit_state state;
  if (fit_init(&state)) return 2;
  for (int k = 0; k < 3; k++) {
    double value = 0;
    if (fit_step(&state, X, &value)) return 3;
    printf(" %.17g", value);
  }
  printf(" %.17g\n", ((double *)state.w.data)[2]);
  fit_drop(&state);
  return strcmp(plain_message(-1), "no memory") != 0;
}
