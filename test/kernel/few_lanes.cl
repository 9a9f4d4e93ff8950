// Loops by data of each work-item's own that few of a vector or most of them come to: one by one, or as lanes.
// run: -k sums -g 1024 '[1024]=floor(i/64)%2==0?i%16==3:i%16!=3' '[1025]=3*i+i%3' '[3080]=i*7%1024' '[3080]=i%5+1' '[1024]=i' '[1024]'
// expect: 5: (floor(i/64)%2==0?i%16==3:i%16!=3) ? sum(k,3*i+i%3,3*(i+1)+(i+1)%3,(k%5+1)*(k*7%1024)) : -1
// run: -k sums -g 1003 '[1024]=floor(i/64)%2==0?i%16==3:i%16!=3' '[1025]=3*i+i%3' '[3080]=i*7%1024' '[3080]=i%5+1' '[1024]=i' '[1003]'
// expect: 5: (floor(i/64)%2==0?i%16==3:i%16!=3) ? sum(k,3*i+i%3,3*(i+1)+(i+1)%3,(k%5+1)*(k*7%1024)) : -1
// run: -k again -g 512 '[1024]=i%64<32?i%9==0:i%9!=0' '[1025]=3*i+i%3' '[3080]=i*7%1024' '[3080]=i%5+1' '[1024]=i' '[512]'
// expect: 5: sum(t,0,3,((i+t*100)%64<32?(i+t*100)%9==0:(i+t*100)%9!=0) ? sum(k,3*i+i%3,3*(i+1)+(i+1)%3,(k%5+1)*(k*7%1024)+t) : 1)
// run: -k heads -g 1024 '[1024]=i%5+1' '[1025]=floor(i/7)' '[1024]=i*31%1024' '[1024]=i' '[147]'
// expect: 4: sum(k,7*i,min(7*i+7,1024),(k%5+1)*(k*31%1024))
#define WEIGH s += v[k] * x[col[k]]
kernel void sums(global const int *on, global const int *start, global const int *col, global const int *v,
                 global const int *x, global int *y) {
  int i = get_global_id(0), s = -1;
  if (on[i]) {
    s = 0;
    for (int k = start[i]; k < start[i + 1]; k++) WEIGH;
  }
  y[i] = s;
}
kernel void again(global const int *on, global const int *start, global const int *col, global const int *v,
                  global const int *x, global int *y) {
  int i = get_global_id(0), s = 0;
  for (int t = 0; t < 3; t++) {
    if (on[i + t * 100]) {
      for (int k = start[i]; k < start[i + 1]; k++) WEIGH + t;
    } else s++;
  }
  y[i] = s;
}
kernel void heads(global const int *v, global const int *r, global const int *c, global const int *x, global int *y) {
  int i = get_global_id(0), s = 0;
  if (i > 0 && r[i - 1] == r[i]) return;
  for (int k = i; k < 1024 && r[k] == r[i]; k++) s += v[k] * x[c[k]];
  y[r[i]] = s;
}
// run: -k counts -g 1024 '[1024]=floor(i/64)%2==0?i%16==3:i%16!=3' '[1025]=2*i' '[2048]=i*7%2048' '[2048]'
// expect: 3: (floor(floor(i*1463%2048/2)/64)%2==0?floor(i*1463%2048/2)%16==3:floor(i*1463%2048/2)%16!=3) ? i*1463%2048 + floor(i*1463%2048/2) : 0
kernel void counts(global const int *on, global const int *start, global const int *col, global int *n) {
  int i = get_global_id(0);
  if (!on[i]) return;
  for (int k = start[i]; k < start[i + 1]; k++) atomic_add(&n[col[k]], k + i);
}
// run: -k runs -g 1021 '[1024]=i%5+1' '[1025]=floor(i/7)' '[1024]=i*31%1024' '[1024]=i' '[1021]'
// expect: 4: i%7!=0 ? -1 : sum(k,i,min(i+7,1024),(k%5+1)*(k*31%1024))
kernel void runs(global const int *v, global const int *r, global const int *c, global const int *x, global int *y) {
  int i = get_global_id(0), s = -1;
  if (i == 0 || r[i - 1] != r[i]) {
    s = 0;
    for (int k = i; k < 1024 && r[k] == r[i]; k++) s += v[k] * x[c[k]];
  }
  y[i] = s;
}
// run: -k runs_again -g 1021 '[1024]=i%5+1' '[3075]=floor(i%1025/(1+2*floor(i/1025)))' '[1024]=i*31%1024' '[1024]=i' '[1021]'
// expect: 4: sum(t,0,3,i%(1+2*t)!=0 ? t : sum(k,i,min(i+1+2*t,1024),(k%5+1)*(k*31%1024)))
kernel void runs_again(global const int *v, global const int *r, global const int *c, global const int *x,
                       global int *y) {
  int i = get_global_id(0), s = 0;
  for (int t = 0; t < 3; t++, r += 1025)
    if (i == 0 || r[i - 1] != r[i]) {
      for (int k = i; k < 1024 && r[k] == r[i]; k++) s += v[k] * x[c[k]];
    } else s += t;
  y[i] = s;
}
